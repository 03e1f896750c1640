extension Connection {
    /// The longest waits for a client.
    struct Timeouts {
        var idle = Duration.seconds(60)
        var request = Duration.seconds(20)
        var draining = Duration.seconds(2)
    }
}
