import { type Axis, type Figure, type Look, type Mark, type Panel, type Place, withRanges } from './figure.ts'
import type { Extent } from './picture.ts'
import { coordinatesOf, type Scale, scaleOf, withSameAxis } from './scale.ts'

/** Schema of the specifications by `vegaLiteOf`. */
const SCHEMA = 'https://vega.github.io/schema/vega-lite/v6.json'

type Json = Readonly<Record<string, unknown>>

/**
 * Returns a figure as a Vega-Lite specification that contains its data. Patterns are not part of the specification.
 *
 * @param extent size of the plots without axes and legend
 */
export function vegaLiteOf(plain: Figure, { width, height, type = 12 }: Extent, look: Look = {}): Json {
  const figure = withRanges(plain, look)
  const x = scaleOf(figure.x, coordinatesOf(figure.panels, 'x'), { length: width, need: () => type * 5 })
  const views = figure.panels.map((panel) => viewOf(figure, panel, x, width, Math.round(height / figure.panels.length)))
  return {
    $schema: SCHEMA,
    config: {
      font: 'Helvetica, Arial, sans-serif',
      axis: { titleFontWeight: 'normal', labelFontSize: type, titleFontSize: type },
    },
    ...(views.length === 1 ? views[0] : { vconcat: views }),
  }
}

function viewOf(figure: Figure, panel: Panel, x: Scale, width: number, height: number): Json {
  const room = { length: height, need: () => 24 }
  const y = scaleOf(panel.y, coordinatesOf(withSameAxis(figure, panel), 'y'), room)
  return {
    ...(panel.title === undefined ? {} : { title: panel.title }),
    width,
    height,
    layer: panel.marks.filter(({ rows }) => rows.length > 0).map((mark) => layerOf(figure, panel, mark, { x, y })),
  }
}

function layerOf(
  figure: Figure,
  { y: yAxis }: Panel,
  mark: Mark,
  { x, y }: { readonly x: Scale; readonly y: Scale },
): Json {
  const { x: xAxis, keyField } = figure
  const [first] = mark.rows
  const areEmpty = mark.rows.every((row) => figure.keys.find(({ name }) => name === row.key)?.isEmpty === true)
  const values = mark.rows.map((row) => ({
    [xAxis.field]: x.of(row.x),
    ...(row.x2 === undefined ? {} : { [`${xAxis.field}_to`]: x.of(row.x2) }),
    [yAxis.field]: y.of(row.y),
    ...(row.y2 === undefined ? {} : { [`${yAxis.field}_to`]: y.of(row.y2) }),
    [keyField]: row.key,
    ...(mark.shape === 'text' ? { text: row.text ?? '' } : {}),
  }))
  return {
    data: { values },
    mark: { ...markOf(mark), ...(mark.shape === 'rect' && areEmpty ? { filled: false } : {}), clip: true },
    encoding: {
      x: channelOf(xAxis, x),
      ...(first.x2 === undefined ? {} : { x2: { field: `${xAxis.field}_to` } }),
      y: channelOf(yAxis, y),
      ...(first.y2 === undefined ? {} : { y2: { field: `${yAxis.field}_to` } }),
      color: colorOf(figure, mark.rows),
      ...(mark.shape === 'text' ? { text: { field: 'text', type: 'nominal' } } : {}),
    },
  }
}

function markOf({ shape, opacity = 1, hasBorder = false, isBold = false }: Mark): Json {
  switch (shape) {
    case 'line':
      return { type: 'line', strokeWidth: 1.3 }
    case 'steps':
      return { type: 'line', strokeWidth: 1.3, interpolate: 'step-after' }
    case 'rect':
      return { type: 'rect', opacity, ...(hasBorder ? { stroke: 'white', strokeWidth: 0.5 } : {}) }
    case 'area':
      return { type: 'area', opacity }
    case 'step-area':
      return { type: 'area', opacity, interpolate: 'step-after' }
    case 'rule':
      return { type: 'rule', strokeWidth: isBold ? 2.6 : 1.3 }
    case 'point':
      return { type: 'point', filled: true, opacity: 1, size: 50 }
    case 'ring':
      return { type: 'point', filled: false, opacity, size: 30 }
    case 'edge':
      return { type: 'point', shape: 'stroke', angle: 90, opacity: 1, size: 60 }
    case 'text':
      return { type: 'text', align: 'left', baseline: 'middle' }
  }
}

function channelOf({ field, isHidden = false }: Axis, { type, domain, ticks, label }: Scale): Json {
  const labels = Object.fromEntries(ticks.map((tick) => [String(tick.at), tick.label]))
  return {
    field,
    type: 'quantitative',
    scale: {
      type,
      domain,
      nice: false,
      ...(type === 'linear' ? { zero: false } : {}),
      ...(type === 'symlog' ? { constant: 1 } : {}),
    },
    axis: isHidden
      ? null
      : {
          title: label === '' ? null : label,
          values: ticks.map(({ at }) => at),
          labelExpr: `(${JSON.stringify(labels)})[datum.value]`,
        },
  }
}

function colorOf({ keys, keyField }: Figure, rows: ReadonlyArray<Place>): Json {
  if (rows.every(({ key }) => keys.every(({ name }) => name !== key))) return { value: '#222' }
  const named = keys.filter(({ name, isNamed }) => isNamed !== false && name !== '').map(({ name }) => name)
  return {
    field: keyField,
    type: 'nominal',
    scale: { domain: keys.map(({ name }) => name), range: keys.map(({ color }) => color) },
    legend: named.length === 0 ? null : { title: null, orient: 'top', values: named },
  }
}
