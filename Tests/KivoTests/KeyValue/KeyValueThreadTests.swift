import Dispatch
import Foundation
import Kivo
import XCTest

/// Observed objects and tokens that are released on another thread while their own thread notifies observers.
final class KeyValueThreadTests: RealmTestCase {
    /// The values that another thread releases. One thread puts the values in; the other takes them out, after the first
    /// started it and never looks at them again.
    private final class Box<Value>: @unchecked Sendable {
        var values: [Value]

        init(_ values: [Value]) { self.values = values }
    }

    func testObjectsAndTokensThatGoElsewhereMeanwhile() throws {
        let realm = try openRealm()
        let count = 24
        try realm.write {
            for _ in 0..<count { realm.create(Dawdler.self).next = realm.create(Dawdler.self) }
        }
        for round in 0..<30 {
            var told = 0
            let rows = realm.objects(Dawdler.self)
            let ends = Shared(0)
            let (objects, tokens) = (Box<Dawdler>([]), Box<KeyValueObservation>([]))
            var kept: [KeyValueObservation] = []
            for row in Array(rows) {
                row.whileDying = { ends.update { $0 += 1 } }
                for number in 0..<3 {
                    let token =
                        number == 2
                        ? row.observe(\.next?.value) { _, _ in told += 1 }
                        : row.observe(\.value, options: number == 0 ? [] : [.old, .new]) { object, _ in
                            told += object.value == 0 ? 0 : 1
                        }
                    if (number + round) % 2 == 0 { tokens.values.append(token) } else { kept.append(token) }
                }
                objects.values.append(row)
            }
            let (start, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread {
                start.signal()
                while !objects.values.isEmpty { objects.values.removeLast() }
                done.signal()
            }.start()
            Thread {
                start.signal()
                while !tokens.values.isEmpty { tokens.values.removeLast() }
                done.signal()
            }.start()
            start.wait()
            start.wait()
            for value in 1...5 {
                if value % 2 == 0 {
                    try writeElsewhere { realm in for row in realm.objects(Dawdler.self) { row.value = value }
                    }
                    realm.refresh()
                } else {
                    try realm.write { for row in realm.objects(Dawdler.self) { row.value = value } }
                }
                if let token = kept.popLast() { token.invalidate() }
            }
            done.wait()
            done.wait()
            XCTAssertEqual(ends.value, count * 2)
            told = 0
            realm.refresh()
            try realm.write { for row in realm.objects(Dawdler.self) { row.value = 9 } }
            XCTAssertEqual(told, 0)
            XCTAssertEqual(realm.observerCount, 0)
            kept = []
        }
    }
}
