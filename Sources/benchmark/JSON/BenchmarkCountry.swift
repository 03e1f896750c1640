import Foundation
import Persistence

/// A row of a table as public ones are: short texts in several scripts, flags, codes, and coordinates.
///
/// The countries are made up.
struct BenchmarkCountry: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var native: String?
    var capital: String?
    var iso2: String
    var iso3: String
    var numericCode: String
    var phoneCode: String
    var currency: String
    var currencyName: String
    var currencySymbol: String
    var domain: String
    var region: String
    var subregion: String?
    var latitude: Double
    var longitude: Double
    var flag: String

    static let schema = Schema<BenchmarkCountry>(
        "countries", BenchmarkCountry.init,
        Column("id", \.id), Column("name", \.name), Column("native", \.native), Column("capital", \.capital),
        Column("iso2", \.iso2), Column("iso3", \.iso3), Column("numericCode", \.numericCode),
        Column("phoneCode", \.phoneCode), Column("currency", \.currency), Column("currencyName", \.currencyName),
        Column("currencySymbol", \.currencySymbol), Column("domain", \.domain), Column("region", \.region),
        Column("subregion", \.subregion), Column("latitude", \.latitude), Column("longitude", \.longitude),
        Column("flag", \.flag))

    /// The number of rows of a body.
    static let count = 250

    /// Returns a list of rows.
    ///
    /// - Parameter hasUnreadParts: True to give each row lists and objects that are not columns.
    static func body(hasUnreadParts: Bool) -> Data {
        Data(Body.list((0..<count).map { row($0, hasUnreadParts: hasUnreadParts) }).text("").utf8)
    }

    private static func row(_ number: Int, hasUnreadParts: Bool) -> Body {
        let land = lands[number % lands.count]
        let part = parts[number / lands.count % parts.count]
        let letters = [number % 26, number / 26, number % 7].map { String(UnicodeScalar(UInt8(65 + $0))) }
        let code = letters[0] + letters[1]
        var members: [Body.Member] = [
            ("id", .plain("\(number + 1)")), ("name", .string("\(part) \(land.name)")),
            ("iso3", .string(code + letters[2])), ("iso2", .string(code)),
            ("numericCode", .string(String("\(1_000 + number)".dropFirst()))),
            ("phoneCode", .string(number % 5 == 0 ? "+1-\(200 + number)" : "\(20 + number)")),
            ("capital", number % 25 == 24 ? .null : .string(land.capital)), ("currency", .string(code + "D")),
            ("currencyName", .string("\(land.name) \(number % 2 == 0 ? "dollar" : "pound")")),
            ("currencySymbol", .string(land.symbol)), ("domain", .string(".\(code.lowercased())")),
            ("native", number % 40 == 39 ? .null : .string(land.native)), ("region", .string(land.region)),
            ("subregion", number % 50 == 49 ? .null : .string("\(part) \(land.region)")),
            ("latitude", .plain(coordinate(number * 7_919, below: 90))),
            ("longitude", .plain(coordinate(number * 15_485, below: 180))), ("flag", .string(flag(code))),
        ]
        if hasUnreadParts {
            members.insert(("timezones", .list((0...number % 3).map { timezone(number + $0) })), at: 14)
            members.insert(("translations", translations(number)), at: 15)
        }
        return .object(members)
    }

    /// Returns a number of degrees with up to eight decimals.
    private static func coordinate(_ number: Int, below limit: Int) -> String {
        let degrees = number % (2 * limit) - limit
        return number % 3 == 0 ? "\(degrees)" : "\(degrees).\(number % 3 == 1 ? number % 89 + 10 : 10_000_001 + number)"
    }

    private static func flag(_ code: String) -> String {
        String(String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar(0x1F1A5 + $0.value) }))
    }

    private static func timezone(_ number: Int) -> Body {
        .object([
            ("zoneName", .string(#"Nowhere\/Harbour\#(number)"#)), ("gmtOffset", .plain("\(number % 24 * 3_600)")),
            ("gmtOffsetName", .string("UTC+0\(number % 10):00")), ("abbreviation", .string("NWT")),
            ("tzName", .string("Nowhere Time")),
        ])
    }

    private static func translations(_ number: Int) -> Body {
        .object(
            ["ko", "pt", "nl", "hr", "fa", "de", "es", "fr", "ja", "it", "zh", "tr", "ru", "uk", "pl"]
                .enumerated().map { ($0.element, .string(lands[(number + $0.offset) % lands.count].native)) })
    }

    private static let parts = [
        "Northern", "Southern", "Upper", "Lower", "New", "Old", "Greater", "Outer", "West", "East",
    ]

    /// Texts with their escapes.
    private static let lands: [(name: String, native: String, capital: String, symbol: String, region: String)] = [
        ("Heronia", "Heronia", "Heron Bay", "$", "Americas"),
        ("Val-d’Étang", "Val-d’Étang", "Saint-Aimé", "€", "Europe"),
        (#"C\u00f4te Brume"#, #"C\u00f4te Brume"#, #"Port-\u00c9lan"#, "Fr", "Africa"),
        ("Nørhavn", "Nørhavn", "Ærøby", "kr", "Europe"),
        ("Piedraluz", "República de Piedraluz", "Año Nuevo", "₱", "Americas"),
        ("Zamgród", "Rzeczpospolita Zamgródzka", "Łódeczka", "zł", "Europe"),
        ("Sarayova", "Sarayova Cumhuriyeti", "İğdeköy", "₺", "Asia"),
        ("Cửa Sông", "Cộng hòa Cửa Sông", "Bến Đò", "₫", "Asia"),
        ("Ozerye", "Республика Озерье", "Новый Причал", "₽", "Europe"),
        ("Verbivka", "Країна Вербівка", "Їжаківка", "₴", "Europe"),
        ("Thalassia", "Δημοκρατία της Θαλάσσης", "Λιμάνι", "€", "Europe"),
        ("Waha", "جمهورية الواحة", "مدينة النخيل", "د.ج", "Africa"),
        ("Kuhestan", "کشور کوهستان", "چشمه", "﷼", "Asia"),
        ("Gal-Yam", "גל ים", "נמל חדש", "₪", "Asia"),
        ("Nadidesh", "नदी देश गणराज्य", "नया घाट", "₹", "Asia"),
        ("Muang Nam", "เมืองน้ำ", "ท่าเรือใหม่", "฿", "Asia"),
        ("Hegang", "河港共和国", "新码头", "¥", "Asia"),
        ("Minatoguni", "港の国", "サギの浜", "¥", "Asia"),
        ("Gangnara", "강나라", "새나루", "₩", "Asia"),
        ("Mtis Mkhare", "მთის მხარე", "ახალი ხიდი", "₾", "Asia"),
        ("Lerrnashkharh", "Լեռնաշխարհ", "Նոր Կամուրջ", "֏", "Asia"),
        (#"Reed \"Long\" Island"#, "Reed Island", #"Fort Reed\/Quay"#, "$", "Oceania"),
        ("Fenland", "Fenland", "Marsh\\\\End", "£", "Europe"),
        (#"Two Lakes\nand a River"#, "Twee Meren", "Brug", "ƒ", "Americas"),
        ("Isla Larga", "Isla Larga", "Puerto Viejo", "$", "Americas"),
    ]
}
