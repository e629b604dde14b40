/// The figures as JSON, for other programs: an array with one object for each measurement.
struct JSONReport {
    private var objects: [String] = []

    mutating func add(_ measurement: RowMeasurement, of row: Row) {
        // Names, units, floors and disturbances need no escaping.
        var fields = [
            #""name": "\#(row.name)""#,
            #""median": \#(Figure.rounded(measurement.median))"#,
            #""min": \#(Figure.rounded(measurement.min))"#,
        ]
        if let percentile99 = measurement.percentile99 {
            fields.append(#""p99": \#(Figure.rounded(percentile99))"#)
        }
        fields.append(#""unit": "\#(row.unit.rawValue)""#)
        if let floor = row.floor {
            fields.append(#""floor": "\#(floor.name)""#)
            fields.append(#""ratio": \#(measurement.ratio.map { "\(Figure.rounded($0))" } ?? "null")"#)
        }
        if let disturbance = measurement.disturbance { fields.append(#""void": "\#(disturbance)""#) }
        objects.append("  {" + fields.joined(separator: ", ") + "}")
    }

    var text: String { objects.isEmpty ? "[]" : "[\n" + objects.joined(separator: ",\n") + "\n]" }
}
