import Foundation
import KivoObserving
import XCTest

/// Paths and computed properties that lead through properties which are not observed, and do not change.
final class ConstantPathTests: XCTestCase {
    private final class Model: KeyValueObservable {
        @Observed var percent = 0
        @Observed var items: [Int] = []
        @Observed var next: Model?
    }

    private final class Service: KeyValueObservable {
        let model = Model()
    }

    private final class Panel: KeyValueObservable {
        let model: Model
        let service: Service?
        let anything: Any
        lazy var late = Model()
        @Observed var unit = "%"

        init(_ model: Model, _ service: Service? = nil) {
            self.model = model
            self.service = service
            anything = model
        }

        var text: String { "\(model.percent) \(unit)" }
        var deep: Int? { service?.model.percent }
    }

    func testAConstantIsAComponentOfAPath() {
        let (model, recorder) = (Model(), Recorder())
        let panel = Panel(model, Service())
        var (percents, texts, deep, nexts): ([Int], [String], [Int?], [Int?]) = ([], [], [], [])
        let tokens = [
            panel.observe(\.model.percent, options: [.old, .new]) {
                percents += [$1.oldValue!, $1.newValue!]
            },
            panel.observe(\.text, options: .new) { texts.append($1.newValue!) },
            panel.observe(\.service?.model.percent, options: .new) { deep.append($1.newValue!) },
            panel.observe(\.deep, options: .new) { deep.append($1.newValue!) },
            panel.observe(\.model.next?.percent, options: .new) { nexts.append($1.newValue!) },
        ]
        panel.addObserver(recorder, forKeyPath: "model.percent", options: .new)
        model.percent = 5
        panel.unit = "pc"
        panel.service!.model.percent = 6
        model.next = Model()
        model.next!.percent = 7
        XCTAssertEqual(percents, [0, 5])
        XCTAssertEqual(texts, ["5 %", "5 pc"])
        XCTAssertEqual(deep, [6, 6])
        XCTAssertEqual(nexts, [0, 7])
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [5])
        tokens.forEach { $0.invalidate() }
        panel.removeObserver(recorder, forKeyPath: "model.percent")
    }

    func testACollectionBehindAConstant() {
        let panel = Panel(Model())
        var changes: [KeyValueObservedChange<[Int]>] = []
        let token = panel.observe(\.model.items, options: [.old, .new]) { changes.append($1) }
        panel.model.mutableArrayValue(forKey: "items").add(3)
        panel.model.items.append(4)
        XCTAssertEqual(changes.map(\.kind), [.setting, .setting])
        XCTAssertEqual(changes.map(\.newValue), [[3], [3, 4]])
        token.invalidate()
    }

    func testALazyPropertyIsAConstant() {
        let panel = Panel(Model())
        var seen: [Int] = []
        let token = panel.observe(\.late.percent, options: .new) { seen.append($1.newValue!) }
        panel.late.percent = 3
        XCTAssertEqual(seen, [3])
        token.invalidate()
    }

    func testAConstantThatIsNil() {
        let panel = Panel(Model())
        var count = 0
        let tokens = [
            panel.observe(\.service?.model.percent) { _, _ in count += 1 },
            panel.observe(\.deep) { _, _ in count += 1 },
        ]
        XCTAssertEqual(count, 0)
        tokens.forEach { $0.invalidate() }
    }

    func testWeakReferencesAreReadByName() {
        final class Holder: KeyValueObservable {
            weak var model: Model?
            unowned let fixed: Model
            init(_ model: Model) {
                self.model = model
                fixed = model
            }
        }
        var model: Model? = Model()
        let holder = Holder(model!)
        XCTAssertTrue(holder.value(forKey: "model") as? Model === model)
        XCTAssertTrue(holder.value(forKey: "fixed") as? Model === model)
        weak let released = model
        model = nil
        XCTAssertNil(released)
        XCTAssertNil(holder.value(forKey: "model"))
    }

    func testATreeOfConstantsEnds() {
        final class Ring: KeyValueObservable {
            var other: Ring?
            @Observed var value = 0
            var sum: Int { value + (other?.value ?? 0) }
        }
        let (first, second) = (Ring(), Ring())
        first.other = second
        second.other = first
        var seen: [Int] = []
        let token = first.observe(\.sum, options: .new) { seen.append($1.newValue!) }
        second.value = 2
        first.value = 3
        XCTAssertEqual(seen, [2, 5])
        token.invalidate()
        first.other = nil
    }
}
