import Foundation

/// The directives of `Cache-Control` in a request or an answer (RFC 9111, 5.2).
struct CacheControl: Equatable {
    var maxAge: Int?
    var noStore = false
    var noCache = false
    /// True if the answer is for one user only.
    var isPrivate = false

    init(_ field: String?) {
        for directive in (field ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            switch parts.first?.lowercased() {
            case "no-store": noStore = true
            // `no-cache="field"` concerns only that field; it is applied to the whole answer, which is safe.
            case "no-cache": noCache = true
            // `private="field"` concerns only that field; it is applied to the whole answer, which is safe.
            case "private": isPrivate = true
            case "max-age":
                let digits = parts.count > 1 ? parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"")) : ""
                // Of two values, the smaller one counts.
                maxAge = min(maxAge ?? .max, seconds(digits) ?? 0)
            default: break
            }
        }
    }
}

/// Returns a number of seconds (RFC 9111, 1.2.2); `nil`, which counts as stale (4.2.1), if it is not one.
private func seconds(_ digits: String) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    // More digits than an `Int` holds are a very long time.
    return Int(digits) ?? .max
}

/// A stored answer, and the time until which it can be used without asking the server.
struct CachedAnswer: Sendable {
    let response: TransportResponse
    /// The request's fields that the answer depends on.
    let varying: HTTPHeaders
    /// The time at which it, or its last confirmation, was asked for. The server may have made it right then, however long
    /// it was on its way (RFC 9111, 4.2.3).
    private let date: Date
    /// Its age in seconds at that time: other caches may have held it.
    private let initialAge: Double
    private let freshUntil: Date

    /// Returns `nil` if the answer may not be stored, or if storing it would be of no use.
    ///
    /// - Parameter date: The time at which the request was sent.
    init?(_ response: TransportResponse, to request: TransportRequest, sent date: Date) {
        guard response.status == 200, !CacheControl(response.header("Cache-Control")).noStore else { return nil }
        let vary = (response.header("Vary") ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        // Each name is compared with those before it, so a server could keep the program busy with thousands.
        guard !vary.contains("*"), vary.count <= 100 else { return nil }
        varying = vary.reduce(into: HTTPHeaders()) { $0[$1] = request.headers[$1] ?? "" }
        self.response = response
        self.date = date
        initialAge = Self.age(of: response, now: date)
        freshUntil = Self.freshUntil(response, age: initialAge, now: date)
        let canBeConfirmed = response.header("ETag") != nil || response.header("Last-Modified") != nil
        guard freshUntil > date || canBeConfirmed else { return nil }
    }

    func answers(_ request: TransportRequest) -> Bool {
        varying.allSatisfy { (request.headers[$0.name] ?? "") == $0.value }
    }

    func isFresh(for request: TransportRequest, now: Date) -> Bool {
        let wish = CacheControl(request.headers["Cache-Control"])
        guard !wish.noCache, request.headers["Pragma"]?.lowercased() != "no-cache", now < freshUntil else {
            return false
        }
        // If the clock was set back, the age is negative; the server is asked again then.
        let age = now.timeIntervalSince(date)
        return age >= 0 && initialAge + age <= Double(wish.maxAge ?? .max)
    }

    /// Returns the request that asks the server if the answer is still current.
    func confirming(_ request: TransportRequest) -> TransportRequest {
        var request = request
        request.headers["If-None-Match"] = response.header("ETag")
        request.headers["If-Modified-Since"] = response.header("Last-Modified")
        return request
    }

    /// False if both answers have an `ETag`, and these are not of the same version.
    func isSameVersion(as confirmation: TransportResponse) -> Bool {
        guard let own = response.header("ETag"), let other = confirmation.header("ETag") else { return true }
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return opaque(own) == opaque(other)
    }

    /// Returns the answer with the fields of the 304 that confirmed it, but for those that describe the body.
    func confirmed(by confirmation: TransportResponse, url: URL) throws(CoreError) -> TransportResponse {
        var headers = response.headers
        // The answer is as old as its confirmation.
        for name in ["Age", "Date"] { headers[name] = nil }
        let ofBody = ["content-encoding", "content-length", "content-range", "content-type"]
        for (name, value) in confirmation.headers where !ofBody.contains(name.lowercased()) { headers[name] = value }
        return try TransportResponse(status: 200, headers: headers, body: response.body, url: url)
    }

    private static func age(of response: TransportResponse, now: Date) -> Double {
        // Of several values the first one counts (RFC 9111, 5.1).
        let first = response.header("Age")?.prefix { $0 != "," }
        let age = Double(first.flatMap { seconds($0.trimmingCharacters(in: .whitespaces)) } ?? 0)
        // A cache that tells no age may have held it since its date, which is in whole seconds (4.2.3).
        guard let made = response.header("Date").flatMap({ HTTPDate.date(from: $0, now: now) }) else { return age }
        return max(age, now.timeIntervalSince(made).rounded(.down))
    }

    private static func freshUntil(_ response: TransportResponse, age: Double, now: Date) -> Date {
        let control = CacheControl(response.header("Cache-Control"))
        if control.noCache { return .distantPast }
        if let maxAge = control.maxAge { return now.addingTimeInterval(Double(maxAge) - age) }
        guard let field = response.header("Expires") else { return .distantPast }
        guard let expires = HTTPDate.date(from: field, now: now) else { return .distantPast }
        let sent = response.header("Date").flatMap { HTTPDate.date(from: $0, now: now) } ?? now
        return now.addingTimeInterval(expires.timeIntervalSince(sent) - age)
    }
}
