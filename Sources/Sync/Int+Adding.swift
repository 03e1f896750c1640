extension Int {
    /// Returns the sum, or the greatest number if it is beyond: an offset may be any number.
    func adding(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
