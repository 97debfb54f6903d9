/** Bar chart as plain data: panels side by side, with groups of bars, one for each series. */
export interface BarChart {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<BarGroup> }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    /** Unit of the values; shares are written as percentages. */
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Value of a line across the chart, if the other values are relative to it. */
    readonly reference?: number
  }
  /** Legend of filled and empty bars, if the chart has both. */
  readonly note?: string
}

export interface BarGroup {
  readonly name: string
  /** Bars in the order of the series; null leaves the place empty. */
  readonly bars: ReadonlyArray<Bar | null>
}

/** Filled bar up to `value`, and an empty bar up to an optional `outline`. */
export interface Bar {
  readonly value: number
  readonly outline?: number
}
