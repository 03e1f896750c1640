import Testing

@testable import Feedback

@Test("NoError is Never, so that a stream of NoError cannot fail")
func noErrorIsNever() {
    #expect(NoError.self == Never.self)
}
