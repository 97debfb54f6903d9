import { parseHTML } from 'linkedom'
import { expect, it } from 'vitest'
import { binOf, drawLinkHeat, shareBins } from '../src/pictures/link-heat.ts'
import { csvOf } from '../src/pictures/picture.ts'
import { LINK_SHARE } from '../src/run/link-use.ts'

const bins = shareBins.map((name, bin) => ({ name, color: `#0000${(16 + bin).toString(16)}` }))
const heat = {
  from: 7200,
  to: 14_400,
  groups: ['pod 0, leaf to L2', 'pod 1, leaf to L2'],
  shares: [0, 0.5, 0.5, 1, 1, 1, 1, 0.03],
  binOf: (share: number) => binOf(share * LINK_SHARE),
  bins,
}

it('`drawLinkHeat` draws one box for successive shares of the same bin in a row, and names rows and bins', () => {
  const { document } = parseHTML('<html></html>')
  const { svg } = drawLinkHeat(document, 960, heat)
  const boxes = [...svg.matchAll(/<rect[^>]*fill="(#0000..)"[^>]*>/g)].map(([, color]) => color)
  // The SVG has the boxes of the legend before the boxes of the rows.
  expect(boxes.slice(bins.length)).toEqual([0, 4, 9, 9, 1].map((bin) => bins[bin].color))
  for (const name of [...heat.groups, '≤ 50 %', 'hours']) expect(svg).toContain(name)
})

it('the CSV of `drawLinkHeat` lists every share with its group of links and its times', () => {
  const { document } = parseHTML('<html></html>')
  const { data } = drawLinkHeat(document, 960, heat)
  expect(csvOf(data).split('\n').slice(0, 3)).toEqual([
    'links,from,to,share',
    '"pod 0, leaf to L2",7200,9000,0',
    '"pod 0, leaf to L2",9000,10800,0.5',
  ])
  expect(data).toHaveLength(8)
})

it('`drawLinkHeat` draws the links of 400 pods at most 1,200 pixels high, and names fewer than 120 rows', () => {
  const { document } = parseHTML('<html></html>')
  const groups = Array.from({ length: 400 }, (_, pod) => `pod ${pod}`)
  const { svg } = drawLinkHeat(document, 960, { ...heat, groups, shares: new Array<number>(800).fill(0.3) })
  expect(Number(/height="(\d+)"/.exec(svg)?.[1])).toBeLessThanOrEqual(1200)
  expect(svg.match(/>pod \d+</g)!.length).toBeLessThan(120)
})
