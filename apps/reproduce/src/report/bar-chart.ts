/** Bar chart as plain data: panels side by side, groups of bars in each panel, and a bar for each series in a group. */
export interface BarChart {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<BarGroup> }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    /** Unit of the values. A share is written as a percentage, a ratio as a number. */
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Value to which the bars are relative: a horizontal line crosses the chart at this value; no line if absent. */
    readonly reference?: number
  }
  /** Text of the legend about empty bars, if the chart has filled and empty bars. */
  readonly note?: string
}

export interface BarGroup {
  readonly name: string
  /** Bars of the group in the order of the series; null leaves the place of a series empty. */
  readonly bars: ReadonlyArray<Bar | null>
}

/** Filled bar up to `value`, and an empty bar up to `outline` if present. */
export interface Bar {
  readonly value: number
  readonly outline?: number
}
