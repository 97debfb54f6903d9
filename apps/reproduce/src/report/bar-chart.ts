/** Bars in groups, one of each series in a group, in panels side by side: plain data. */
export interface BarChart {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<BarGroup> }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    /** How values are written: shares as percentages. */
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Draws a line across, where one value is what the others are measured against. */
    readonly reference?: number
  }
  /** What filled and empty bars are, where there are both. */
  readonly note?: string
}

export interface BarGroup {
  readonly name: string
  /** In the order of the series; null leaves the place empty. */
  readonly bars: ReadonlyArray<Bar | null>
}

/** A filled bar up to `value` and, where it is given, an empty one up to `outline`. */
export interface Bar {
  readonly value: number
  readonly outline?: number
}
