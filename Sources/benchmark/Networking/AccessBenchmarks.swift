#if canImport(CCurl)
import CCurl
#endif
import Feedback
import Foundation
import LocalBackend
import Networking

/// The rows on requests over loopback.
let accessBenchmarks: [Benchmark] =
    [smallAccess, smallAsyncAccess] + bareCurlBenchmarks + [manyAtOnce, smallSizedDownload]

private let count = 300

private struct City: Codable, Sendable {
    var id: Int
    var name: String
}

/// The server, which is started once, and its clients.
private struct Loopback: Sendable {
    let url: URL
    let session: BackendSession
    let urlSession = URLSession(configuration: .ephemeral)

    init() async throws {
        let backend = LocalBackend()
        backend.get("/v1/city") { _ in .json(City(id: 1, name: "London")) }
        backend.get("/v1/big") { _ in
            .stream(length: 16 << 20) { body in
                let piece = Data(count: 1 << 16)
                for _ in 0..<(16 << 4) { try await body.write(piece) }
            }
        }
        let address = try await backend.start()
        url = address.appending(path: "v1/city")
        session = BackendSession(environment: BackendEnvironment(name: "loopback", services: [.core: address]))
        running = backend
    }

    private let running: LocalBackend

    /// Fetches the city with a data task and a completion handler, as one would without the library.
    func cityFromDataTask() async throws -> City {
        try await withCheckedThrowingContinuation { continuation in
            urlSession.dataTask(with: url) { data, _, error in
                continuation.resume(
                    with: Result {
                        guard let data else { throw error ?? URLError(.unknown) }
                        return try JSONDecoder().decode(City.self, from: data)
                    })
            }.resume()
        }
    }
}

private let loopback = Task { try await Loopback() }

private let fetchCity = BackendResource<Void, City, NoAuth>(path: .api(.core, "/v1/city"), method: .GET)
private let fetchBig = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/v1/big"), method: .GET)

private let dataTasks: (name: String, work: Benchmark.Work) = (
    "URLSession data task",
    {
        let loopback = try await loopback.value
        for _ in 0..<count {
            sink.add(try await loopback.cityFromDataTask().id)
        }
    }
)

private let smallAccess = Benchmark(
    "access of a small resource on loopback, producer", per: "request", operations: count, goal: .ratio(0.35),
    baseline: dataTasks
) {
    let session = try await loopback.value.session
    for _ in 0..<count {
        let producer: SignalProducer<City, CoreError> = session.access(fetchCity)
        let city: City = try await withCheckedThrowingContinuation { continuation in
            producer.startWithResult { continuation.resume(with: $0) }
        }
        sink.add(city.id)
    }
}

private let smallAsyncAccess = Benchmark(
    "access of a small resource on loopback, async", per: "request", operations: count, goal: .ratio(0.35),
    baseline: dataTasks
) {
    let session = try await loopback.value.session
    for _ in 0..<count { sink.add(try await session.access(fetchCity).id) }
}

#if canImport(CCurl)
private let bareCurlBenchmarks = [
    Benchmark(
        "access of a small resource on loopback, against libcurl", per: "request", operations: count,
        goal: .ratio(1.3),
        baseline: (
            "libcurl, one handle",
            {
                let url = try await loopback.value.url
                let curl = BareCurl(url)
                for _ in 0..<count { sink.add(try JSONDecoder().decode(City.self, from: try curl.get()).id) }
            }
        )
    ) {
        let session = try await loopback.value.session
        for _ in 0..<count { sink.add(try await session.access(fetchCity).id) }
    }
]

/// One connection and one handle, used as libcurl's examples do.
private final class BareCurl {
    private let handle = curl_easy_init()
    private var body = Data()

    init(_ url: URL) {
        guard let handle else { return }
        _ = ccurl_set_string(handle, CURLOPT_URL, url.absoluteString)
        _ = ccurl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let curl = context.map { Unmanaged<BareCurl>.fromOpaque($0).takeUnretainedValue() }
            curl?.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        _ = ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { curl_easy_cleanup(handle) }

    func get() throws -> Data {
        body.removeAll(keepingCapacity: true)
        guard curl_easy_perform(handle) == CURLE_OK else { throw URLError(.cannotConnectToHost) }
        return body
    }
}
#else
private let bareCurlBenchmarks: [Benchmark] = []
#endif

private let manyAtOnce = Benchmark(
    "100 concurrent requests of a small resource on loopback", per: "request", operations: 100, goal: .ratio(0.35),
    baseline: (
        "URLSession data tasks",
        {
            let loopback = try await loopback.value
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        sink.add(try await loopback.cityFromDataTask().id)
                    }
                }
            }
        }
    )
) {
    let session = try await loopback.value.session
    try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<100 { group.addTask { sink.add(try await session.access(fetchCity).id) } }
    }
}

private let smallSizedDownload = Benchmark(
    "download of 16 MB on loopback to a file", per: "MB", operations: 16, goal: .ratio(1),
    baseline: (
        "URLSession download task",
        {
            let loopback = try await loopback.value
            let url = loopback.url.deletingLastPathComponent().appending(path: "big")
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                loopback.urlSession.downloadTask(with: url) { file, _, error in
                    continuation.resume(
                        with: Result {
                            guard let file else { throw error ?? URLError(.unknown) }
                            try FileManager.default.removeItem(at: file)
                        })
                }.resume()
            }
        }
    )
) {
    let file = FileManager.default.temporaryDirectory.appending(path: "feedback-benchmark-\(UUID().uuidString)")
    try await loopback.value.session.download(fetchBig, to: file)
    try FileManager.default.removeItem(at: file)
}
