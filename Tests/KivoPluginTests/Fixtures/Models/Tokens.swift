import KivoObserving

final class Meter: KeyValueObservable { @Observed var value = 0; @Observed var unit = "" }

final class Panel {
    let meter = Meter()
    var tokens: [KeyValueObservation] = []

    func lost() {
        let tokens = [meter.observe(\.value) { _, _ in }, meter.observe(\.unit) { _, _ in }]  // warning: nothing reads 'tokens' again, so that these tokens are released at once in release builds
        _ = tokens
        meter.value = 1
    }

    func lostLater() {
        var tokens: [KeyValueObservation] = []  // warning: nothing reads 'tokens' again
        tokens.append(meter.observe(\.value) { _, _ in })
        tokens += [meter.observe(\.unit) { _, _ in }]
        _ = tokens
    }

    func lostSingle() {
        let token = meter.observe(\.value) { _, _ in }  // warning: nothing reads 'token' again, so that this token is released at once
        _ = token
    }

    func inAClosure() {
        [1].forEach { _ in
            let held = [meter.observe(\.value) { _, _ in }]  // warning: nothing reads 'held' again
            _ = held
        }
    }

    func ended() {
        let tokens = [meter.observe(\.value) { _, _ in }]
        meter.value = 1
        tokens.forEach { $0.invalidate() }
    }

    func extended() {
        let tokens = [meter.observe(\.value) { _, _ in }]
        withExtendedLifetime(tokens) { meter.value = 1 }
    }

    func kept() {
        let tokens = [meter.observe(\.value) { _, _ in }]
        self.tokens = tokens
        tokens_(tokens: tokens)
    }

    func returned() -> [KeyValueObservation] {
        var found: [KeyValueObservation] = []
        found.append(meter.observe(\.value) { _, _ in })
        return found
    }

    func captured() -> () -> Void {
        let token = meter.observe(\.value) { _, _ in }
        return { _ = token.description }
    }

    func tokens_(tokens: [KeyValueObservation]) { self.tokens += tokens }

    func others() {
        let numbers = [1, 2]
        _ = numbers
    }
}

let tokens = [Meter().observe(\.value) { _, _ in }]
