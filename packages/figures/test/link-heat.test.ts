import { expect, it } from 'vitest'
import { linkHeatExtent, linkHeatFigure } from '../src/link-heat.ts'
import { csvOf } from '../src/csv.ts'
import { drawn } from './drawings.ts'

const bins = Array.from({ length: 4 }, (_, bin) => ({ name: `bin ${bin}`, color: `#00001${bin}` }))
const heat = {
  from: 7200,
  to: 14_400,
  groups: ['pod 0, leaf to L2', 'pod 1, leaf to L2'],
  shares: [0, 0.5, 0.5, 1, 1, 1, 1, 0.03],
  binOf: (share: number) => Math.ceil(share * 2) + (share === 1 ? 1 : 0),
  bins,
}

it('`linkHeatFigure` draws one box for successive shares of the same bin in a row, and names rows and bins', () => {
  const svg = drawn(linkHeatFigure(heat), linkHeatExtent(960, 2))
  const boxes = [...svg.matchAll(/<rect[^>]*fill="(#0000..)"[^>]*>/g)].map(([, color]) => color)
  // The SVG has the boxes of the legend before the boxes of the rows.
  expect(boxes.slice(bins.length)).toEqual([0, 1, 3, 3, 1].map((bin) => bins[bin].color))
  for (const name of [...heat.groups, 'bin 2', 'time, minutes']) expect(svg).toContain(`>${name}<`)
})

it('the CSV of `linkHeatFigure` lists every share with its group of links and its times', () => {
  const { data } = linkHeatFigure(heat)
  expect(csvOf(data).split('\n').slice(0, 3)).toEqual([
    'links,from,to,share',
    '"pod 0, leaf to L2",7200,9000,0',
    '"pod 0, leaf to L2",9000,10800,0.5',
  ])
  expect(data).toHaveLength(8)
})

it('`linkHeatFigure` draws the links of 400 pods at most 1,200 pixels high, and names fewer than 120 rows', () => {
  const groups = Array.from({ length: 400 }, (_, pod) => `pod ${pod}`)
  const extent = linkHeatExtent(960, 400)
  const svg = drawn(linkHeatFigure({ ...heat, groups, shares: new Array<number>(800).fill(0.3) }), extent)
  expect(extent.height).toBeLessThanOrEqual(1200)
  expect(svg.match(/>pod \d+</g)!.length).toBeLessThan(120)
})
