/// A problem in a command line, described in one line that says what to do.
enum ArgumentError: Error, Equatable, CustomStringConvertible {
    case unknownOption(String, nearest: String?)
    case unknownFeature(String, nearest: String?, known: [String])
    case missingValue(String, String)
    case unexpectedValue(String)
    case badValue(String, String, String)
    case contradiction(String, String)
    case sameFile(String, String)
    case unneededFeature(String)
    case misplacedOption(String, String)
    case nothingToKeep([String])
    case nothingToFeed(String, [String])

    var description: String {
        switch self {
        case let .unknownOption(option, nearest):
            "There is no option \(option).\(hint(nearest, else: "--help lists the options."))"
        case let .unknownFeature(feature, nearest, known):
            "There is no feature \(feature).\(hint(nearest, else: "The features are \(known.joined(separator: ", "))."))"
        case let .missingValue(option, value): "\(option) needs a value: \(option) \(value)"
        case let .unexpectedValue(option): "\(option) takes no value."
        case let .badValue(option, text, needed): "\(option) needs \(needed), not \"\(text)\"."
        case let .contradiction(one, other): "\(one) and \(other) cannot be used together. Leave one of them out."
        case let .sameFile(one, other): "\(one) and \(other) need files of their own."
        case let .unneededFeature(feature): "--replay plays the features of the recording. Leave out \(feature)."
        case let .misplacedOption(option, reason): "\(option) \(reason)."
        case let .nothingToKeep(features):
            "--database has no effect: \(features.joined(separator: ", ")) \(verb(features, "keep")) no data. Leave it out."
        case let .nothingToFeed(option, features):
            "\(option) has no effect: \(features.joined(separator: ", ")) \(verb(features, "show")) no feed. Leave it out."
        }
    }

    private func verb(_ features: [String], _ verb: String) -> String { features.count == 1 ? "\(verb)s" : verb }

    private func hint(_ nearest: String?, else other: String) -> String {
        " " + (nearest.map { "Did you mean \($0)?" } ?? other)
    }
}

/// Returns the known word that is most similar to `word`, if one is similar enough to be meant.
func nearest(to word: String, in words: [String]) -> String? {
    let candidates = words.map { (word: $0, distance: distance(from: word, to: $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= (word.count < 5 ? 1 : max(2, word.count / 4)) ? best.word : nil
}

/// Returns the number of letters that have to be inserted, removed, replaced or swapped with their neighbour to turn
/// one word into the other.
private func distance(from a: String, to b: String) -> Int {
    let (a, b) = (Array(a.lowercased()), Array(b.lowercased()))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
