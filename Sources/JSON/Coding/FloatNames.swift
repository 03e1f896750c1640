/// The strings that stand for numbers that JSON cannot express.
package struct FloatNames: Sendable {
    let infinity: String
    let negativeInfinity: String
    let nan: String

    package init(infinity: String, negativeInfinity: String, nan: String) {
        (self.infinity, self.negativeInfinity, self.nan) = (infinity, negativeInfinity, nan)
    }
}
