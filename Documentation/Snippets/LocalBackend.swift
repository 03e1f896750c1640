let id = 7

struct Prices: Sendable { var updates: AsyncStream<Int> { some() } }

func city(_ id: Int) throws -> City { some() }

var prices: Prices { some() }
