import KivoEngine

/// Numbers by which objects are compared. Accessors of the same row have the same number.
final class ObjectNumbers {
    private var numbers: [SubjectIdentity: Int64] = [:]

    func cell(_ object: ObjectBase) -> Cell {
        let identity = SubjectIdentity(object)
        let number = numbers[identity] ?? Int64(numbers.count + 1)
        numbers[identity] = number
        return .link(number)
    }
}
