import type { Scheme } from '../experiment/outcomes.ts'
import type { BarChart } from '../report/bar-chart.ts'

/** Paul Tol's muted colours, which differ for colour-blind readers and in grey. */
const colors: Readonly<Record<string, string>> = {
  Baseline: '#999999',
  'LC+S': '#88ccee',
  LC: '#44aa99',
  Jigsaw: '#332288',
  LaaS: '#ddcc77',
  Mosaic: '#117733',
  TA: '#cc6677',
  'TA 2017': '#882255',
}

export function series(schemes: ReadonlyArray<Scheme>): BarChart['series'] {
  return schemes.map(({ name }) => ({ name, color: colors[name] }))
}
