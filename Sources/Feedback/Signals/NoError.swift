/// The error of a stream that cannot fail.
public typealias NoError = Never
