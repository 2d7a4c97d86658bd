// apps/live/src/history.ts: the values of probes in time, thinned so that all of the time stays in sight

export class History {
    private times_: number[] = [];
    private rows_: Map<number, Record<string, number>>[] = [];
    /// One of so many samples is kept.
    private every_ = 1;
    private seen_ = 0;

    /// At most `longest` samples; when there are more, every second one goes.
    constructor(private readonly longest_: number) {}

    /// A time before the newest one (a restart, an undo) forgets what came after it.
    add(time: number, values: Map<number, Record<string, number>>): void {
        while (this.times_.length > 0 && this.times_.at(-1)! >= time) {
            this.times_.pop();
            this.rows_.pop();
        }
        if (this.times_.length === 0) {
            this.every_ = 1;
            this.seen_ = 0;
        }
        if (this.seen_++ % this.every_ !== 0) return;
        this.times_.push(time);
        this.rows_.push(values);
        if (this.times_.length < this.longest_) return;
        this.times_ = this.times_.filter((_, i) => i % 2 === 0);
        this.rows_ = this.rows_.filter((_, i) => i % 2 === 0);
        this.every_ *= 2;
    }

    clear(): void {
        this.times_ = [];
        this.rows_ = [];
    }

    forget(probe: number): void {
        for (const row of this.rows_) row.delete(probe);
    }

    get times(): readonly number[] {
        return this.times_;
    }

    /// The values of a field at a probe, one for each time; null where there was none.
    series(probe: number, field: string): (number | null)[] {
        return this.rows_.map((row) => row.get(probe)?.[field] ?? null);
    }
}
