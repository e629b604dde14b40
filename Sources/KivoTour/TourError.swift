/// An error that prevents the tour from running. A notification that differs from the expected one is no error.
enum TourError: Error, CustomStringConvertible {
    case badLine(file: String, number: Int, problem: String)
    case noTables(folders: [String])
    case fileExists(String)
    case noZone(String)
    case noCountry(String)
    case tooFew(String, needed: Int)

    var description: String {
        switch self {
        case .badLine(let file, let number, let problem): "\(file):\(number): \(problem)"
        case .noTables(let folders): "no time zone tables in \(folders.joined(separator: " or "))"
        case .fileExists(let path): "\(path) exists already, and the tour needs an empty realm"
        case .noZone(let name): "there is no zone \(name)"
        case .noCountry(let code): "there is no country \(code)"
        case .tooFew(let what, let needed): "the tour needs \(needed) \(what), and the tables have fewer"
        }
    }
}
