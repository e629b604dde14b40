import KivoObserving

final class Volume: KeyValueObservable {
    @Observed var level = 0 { didSet { if level > 10 { level = 10 } } }  // warning: 'didSet' of property 'Volume.level' sets 'level' after the observers of 'level' were notified
    @Observed var gain = 0 {  // warning: sets 'decibels'
        didSet(old) {
            guard old != gain else { return }
            self.decibels = Double(gain) / 2
        }
    }
    @Observed var steps = 0 { didSet { count += 1 } }  // warning: sets 'count'
    @Observed var isMuted = false { didSet { show() } }  // note: 'didSet' of property 'Volume.isMuted' runs after the observers of 'isMuted' were notified, in Cocoa before
    @Observed var name = "" { didSet { if name == "" || other.level == 5 { show() } } }  // note: 'didSet'
    @Observed var pan = 0 { willSet { show() } }
    var decibels = 0.0 { didSet { level = Int(decibels) } }
    var count = 0
    var other: Volume { self }
    var balance: Int {
        get { stored }
        set { stored = newValue }
    }
    private var stored = 0
    func show() {}
}
