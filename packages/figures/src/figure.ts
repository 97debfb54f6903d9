/** Row of the numbers of a picture: values by the names of the columns; null for an unknown value. */
export type Row = Readonly<Record<string, string | number | null>>

/**
 * Axis of a figure. All coordinates are numbers: names along an axis are `ticks` at the numbers of their places.
 * Coordinates of a `time` axis are seconds since the start of the log.
 */
export interface Axis {
  /** Label in the picture; empty for no label. */
  readonly label: string
  /** Name of the coordinate in Vega-Lite specifications, a word. */
  readonly field: string
  /** `log` is logarithmic above 0 if no coordinate is 0, else logarithmic above 1 and linear from 0 to 1. */
  readonly scale: 'linear' | 'log' | 'time'
  /** Format of tick labels: `share` shows 0.5 as 50 %. Default: numbers. */
  readonly format?: 'share'
  /** Lowest and highest coordinate of the axis; by default those of the marks. */
  readonly domain?: readonly [from: number, to: number]
  /** True if the axis contains 0 in any case. Default: false. */
  readonly hasZero?: boolean
  /** Places and labels of ticks; default: ticks at round values. */
  readonly ticks?: ReadonlyArray<{ readonly at: number; readonly label: string }>
  /** Seconds in the unit of an axis of lengths of time, such as 3600 for hours; absent for other axes. */
  readonly secondsInUnit?: number
  /** `time` axis: Unix time in seconds of the start of the log. Labels are UTC. Default: labels since the start. */
  readonly epoch?: number
  /** True for an axis without line, ticks and label. Default: false. */
  readonly isHidden?: boolean
}

/** Place of a row of a mark. `x2` and `y2` are the other ends of rectangles, rules and areas. */
export interface Place {
  readonly x: number
  readonly x2?: number
  readonly y: number
  readonly y2?: number
  /** Name of the series of the row: the name of a key of the figure, or any name in the colour of text. */
  readonly key: string
  /** Content of a text; tooltip of a point; label of a rectangle, which only a large enough rectangle shows. */
  readonly text?: string
}

/** Mark of a panel: the rows of one kind of shape. */
export interface Mark {
  /**
   * `steps` and `step-area` keep each y up to the next x. A `ring` is an empty point, an `edge` a short bar across.
   */
  readonly shape: 'line' | 'steps' | 'area' | 'step-area' | 'rect' | 'rule' | 'point' | 'ring' | 'edge' | 'text'
  readonly rows: ReadonlyArray<Place>
  /** Opacity from 0 to 1 of filled shapes; default: 1. */
  readonly opacity?: number
  /** True for rectangles with a white border; their neighbours may have the same colour. Default: false. */
  readonly hasBorder?: boolean
  /** True for a line twice as wide. Default: false. */
  readonly isBold?: boolean
}

/** Entry of a figure's legend: the name and the colour of a series. */
export interface Key {
  readonly name: string
  readonly color: string
  /** True for a series drawn by empty shapes with a coloured border. Default: false. */
  readonly isEmpty?: boolean
  /** False for a series without an entry in the legend, such as one job of many. Default: true. */
  readonly isNamed?: boolean
}

/** Part of a figure with an own y axis. Panels of a figure lie below each other, and share the x axis. */
export interface Panel {
  readonly title?: string
  readonly y: Axis
  readonly marks: ReadonlyArray<Mark>
}

/** A figure as plain data: `drawFigure` draws the SVG, `csvOf(figure.data)` has the numbers, `vegaLiteOf` the grammar. */
export interface Figure {
  readonly x: Axis
  readonly panels: ReadonlyArray<Panel>
  readonly keys: ReadonlyArray<Key>
  /** Name of the series in Vega-Lite specifications, such as `run`. */
  readonly keyField: string
  /** Numbers of the figure in rows with named columns. */
  readonly data: ReadonlyArray<Row>
}

/** Ranges of axes, panels and patterns, which the author of a paper chooses. */
export interface Look {
  /** Lowest and highest coordinate that the x axes show. */
  readonly xRange?: readonly [from: number, to: number]
  readonly yRange?: readonly [from: number, to: number]
  /** True for patterns of areas and dashes of lines beside the colours, for prints without colour. Default: false. */
  readonly hasPatterns?: boolean
}

/** Colours of series: Okabe and Ito's palette, safe for colour-blind readers, without yellow, black last. */
export const seriesColors: ReadonlyArray<string> = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#000000',
]

/** Returns a key for each name, in the colours of `seriesColors`; after seven names the colours begin again. */
export function keysOf(names: ReadonlyArray<string>): ReadonlyArray<Key> {
  return names.map((name, at) => ({ name, color: seriesColors[at % seriesColors.length] }))
}

/** Changes the axes of a figure to the ranges of a look. */
export function withRanges(figure: Figure, { xRange, yRange }: Look): Figure {
  return {
    ...figure,
    x: xRange === undefined ? figure.x : { ...figure.x, domain: xRange },
    panels:
      yRange === undefined
        ? figure.panels
        : figure.panels.map((panel) => ({ ...panel, y: { ...panel.y, domain: yRange } })),
  }
}
