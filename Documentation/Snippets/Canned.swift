import Foundation

var folder: URL { some() }
