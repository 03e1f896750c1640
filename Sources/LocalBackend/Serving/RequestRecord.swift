/// The latest requests, up to a number, and up to an amount of memory.
struct RequestRecord: Sendable {
    private let limit: Int
    private let byteLimit = 67_108_864
    private var kept: [LocalBackend.Request] = []
    private var bytes = 0

    init(limit: Int) { self.limit = max(0, limit) }

    var requests: [LocalBackend.Request] { kept.suffix(limit) }

    mutating func append(_ request: LocalBackend.Request) {
        guard limit > 0 else { return }
        // Old requests are dropped together when there are twice as many as the limit, so that recording each takes
        // constant time.
        if kept.count - limit >= limit { drop(kept.count - limit) }
        kept.append(request)
        bytes += size(of: request)
        while bytes > byteLimit, kept.count > 1 { drop(1) }
    }

    mutating func clear() { drop(kept.count) }

    private mutating func drop(_ count: Int) {
        bytes -= kept.prefix(count).reduce(0) { $0 + size(of: $1) }
        kept.removeFirst(count)
    }

    private func size(of request: LocalBackend.Request) -> Int {
        request.headers.fields.reduce(request.target.utf8.count + request.body.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
    }
}
