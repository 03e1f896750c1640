import Foundation
import Presentation

extension Recording.Entry: Codable {
    private enum Key: String, CodingKey { case model, act, answer, event }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let model = try container.decodeIfPresent(Recording.Model.self, forKey: .model) {
            self = .model(model)
        } else if let act = try container.decodeIfPresent(ActCoding.self, forKey: .act) {
            self = .act(act.act, whileBusy: act.whileBusy ?? false)
        } else if let answer = try container.decodeIfPresent(Recording.Answer.self, forKey: .answer) {
            self = .answer(answer)
        } else {
            self = .event(try container.decode(Recording.Event.self, forKey: .event))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case let .model(model): try container.encode(model, forKey: .model)
        case let .act(act, isBusy): try container.encode(ActCoding(act, isBusy), forKey: .act)
        case let .answer(answer): try container.encode(answer, forKey: .answer)
        case let .event(event): try container.encode(event, forKey: .event)
        }
    }
}

/// `{"uses": "Refresh"}` or `{"types": "London", "into": "Name"}`.
private struct ActCoding: Codable {
    var uses: String?
    var types: String?
    var into: String?
    var place: Int?
    var whileBusy: Bool?

    init(_ act: ScreenStack.Act, _ isBusy: Bool) {
        whileBusy = isBusy ? true : nil
        switch act {
        case let .uses(name, place): (uses, self.place) = (name, place == 0 ? nil : place)
        case let .types(text, name, place): (types, into, self.place) = (text, name, place == 0 ? nil : place)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        uses = try container.decodeIfPresent(String.self, forKey: .uses)
        types = try container.decodeIfPresent(String.self, forKey: .types)
        into = try container.decodeIfPresent(String.self, forKey: .into)
        place = try container.decodeIfPresent(Int.self, forKey: .place)
        whileBusy = try container.decodeIfPresent(Bool.self, forKey: .whileBusy)
        guard (0..<1_000_000).contains(place ?? 0) else {
            throw DecodingError.dataCorruptedError(
                forKey: .place, in: container, debugDescription: "There is no control at this place.")
        }
        guard (uses != nil) != (types != nil && into != nil) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "An act needs \"uses\", or \"types\" and \"into\"."))
        }
    }

    var act: ScreenStack.Act {
        uses.map { .uses($0, place: place ?? 0) } ?? .types(types ?? "", into: into ?? "", place: place ?? 0)
    }
}

extension Recording.Run {
    private enum Key: String, CodingKey { case features, time, seed, services, entries, endsBusy, unanswered }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let features = try container.decode([String].self, forKey: .features)
        let time = try container.decode(Date.self, forKey: .time)
        guard (Date.distantPast...Date.distantFuture).contains(time) else {
            throw DecodingError.dataCorruptedError(
                forKey: .time, in: container, debugDescription: "This is not a time of a calendar.")
        }
        self.init(
            features: features, time: time, seed: try container.decode(Int.self, forKey: .seed),
            services: try container.decode([String: URL].self, forKey: .services),
            entries: try container.decode([Recording.Entry].self, forKey: .entries),
            endsBusy: try container.decodeIfPresent(Bool.self, forKey: .endsBusy) ?? false,
            unanswered: try container.decodeIfPresent([Recording.Request].self, forKey: .unanswered))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(features, forKey: .features)
        try container.encode(time, forKey: .time)
        try container.encode(seed, forKey: .seed)
        try container.encode(services, forKey: .services)
        try container.encode(entries, forKey: .entries)
        if endsBusy { try container.encode(true, forKey: .endsBusy) }
        try container.encodeIfPresent(unanswered, forKey: .unanswered)
    }
}

/// A line is a pair of its path and its text.
extension ValueLines.Line: Codable {
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self.init(path: try container.decode(String.self), text: try container.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(path)
        try container.encode(text)
    }
}
