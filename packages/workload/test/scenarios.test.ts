import {
  applyScenario,
  bandwidthClasses,
  drawBandwidth,
  formatScenario,
  type Job,
  parseScenario,
  SpecError,
} from '../src/index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draw, drawOneOf } from '../src/random.ts'

const jobOf = (size: number, runTime: number, id: string): Job => ({
  id,
  submit: 0,
  size,
  runTime,
  walltime: undefined,
})
const jobs: fc.Arbitrary<ReadonlyArray<Job>> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 0, max: 1e9 })), { maxLength: 30 })
  .map((list) => list.map(([size, runTime], index) => jobOf(size, runTime, String(index + 1))))
const specs = [
  'none',
  '5%',
  '10%',
  '12.5%',
  '20%',
  '0.1%',
  '99.9%',
  'v1',
  'v2',
  'v2-by-class',
  'random',
  'all:20%',
  'all:12.5%',
  'all:99.9%',
]
const seeds = fc.oneof(
  fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 32, -(2 ** 32), Number.MAX_SAFE_INTEGER),
  fc.maxSafeInteger(),
)

const speedupOf = (spec: string, size: number, seed: number, id: string): number =>
  1 - applyScenario([jobOf(size, 1e9, id)], parseScenario(spec), seed)[0].runTime / 1e9

/** Returns the different speed-ups that a scenario gives to 200 jobs of one size, in 1/1000, ascending. */
function speedups(spec: string, size: number): ReadonlyArray<number> {
  const found = new Set(
    Array.from({ length: 200 }, (_, id) => Math.round(speedupOf(spec, size, 1, String(id)) * 1e6) / 1e3),
  )
  return [...found].sort((a, b) => a - b)
}

describe('the specs of scenarios', () => {
  it('the specs of scenarios keep their spelling after parseScenario and formatScenario', () => {
    for (const spec of specs) expect(formatScenario(parseScenario(spec))).toBe(spec)
    expect(['5.0%', '05%', 'all:20.0%'].map((text) => formatScenario(parseScenario(text)))).toEqual([
      '5%',
      '5%',
      'all:20%',
    ])
  })

  it.each([
    '',
    'V2',
    '0%',
    '100%',
    '-5%',
    '5',
    '5.25%',
    'pascual',
    'pascual:0',
    'pascual:0.000',
    'pascual:1',
    'pascual:0.1234',
    'pascual:20%',
    'all',
    'all:0%',
    'all:100%',
    'all:5.25%',
    'all:0.2',
  ])('parseScenario refuses the text %j', (text) => {
    expect(() => parseScenario(text)).toThrow(SpecError)
    expect(() => parseScenario(text)).toThrow(`scenario: found ${JSON.stringify(text)}, expected none, v1,`)
  })

  it('parseScenario names, in the error for a spec with the former name `pascual`, the present spelling', () => {
    expect(() => parseScenario('pascual:0.2')).toThrow('scenario: found "pascual:0.2", expected all:20%')
    expect(() => parseScenario('pascual:0.125')).toThrow('scenario: found "pascual:0.125", expected all:12.5%')
  })
})

describe('a scenario', () => {
  it('a scenario changes only run times, never lengthens them, and draws from seed and job id alone', () => {
    fc.assert(
      fc.property(jobs, fc.constantFrom(...specs), seeds, (list, spec, seed) => {
        const scenario = parseScenario(spec)
        const scaled = applyScenario(list, scenario, seed)
        expect(scaled.map((job, index) => ({ ...job, runTime: list[index].runTime }))).toEqual(list)
        for (const [index, { runTime }] of scaled.entries()) {
          expect(Number.isSafeInteger(runTime) && runTime >= 0 && runTime <= list[index].runTime).toBe(true)
          expect(applyScenario([list[index]], scenario, seed)[0].runTime).toBe(runTime)
        }
      }),
    )
  })

  it('the scenario 10% shortens jobs of more than four nodes, and rounds to the nearest millisecond', () => {
    expect(speedups('10%', 4)).toEqual([0])
    expect(speedups('10%', 5)).toEqual([100])
    expect(
      applyScenario([jobOf(5, 15, 'a'), jobOf(5, 14, 'b')], parseScenario('10%'), 1).map(({ runTime }) => runTime),
    ).toEqual([14, 13])
  })

  it('the scenario all:20% shortens jobs of any size', () => {
    expect(speedups('all:20%', 1)).toEqual([200])
  })

  it('the scenario random draws speed-ups for jobs of more than 64 nodes', () => {
    expect(speedups('random', 64)).toEqual([0])
    expect(speedups('random', 65)).toEqual([0, 50, 150, 300])
  })

  it('the scenarios v1 and v2 draw a bin for each job, with speed-ups that are linear from 4 to 512 nodes', () => {
    expect(speedups('v1', 4)).toEqual([0])
    expect(speedups('v1', 258)).toEqual([50, 100, 150])
    expect(speedups('v1', 600)).toEqual([100, 200, 300])
    expect(speedups('v2', 4)).toEqual([0])
    expect(speedups('v2', 5)).toEqual([0.197, 0.394])
    expect(speedups('v2', 128)).toEqual([24.409, 48.819])
    expect(speedups('v2', 258)).toEqual([50, 150, 200])
    expect(speedups('v2', 512)).toEqual([100, 200, 300])
    expect([4, 66, 128].map((size) => speedups('v2-by-class', size))).toEqual([[0], [50, 100], [100, 200]])
    expect([320, 512, 1000].map((size) => speedups('v2-by-class', size))).toEqual([
      [50, 150, 200],
      [100, 200, 300],
      [100, 200, 300],
    ])
  })

  it('in the scenarios v1 and v2, larger jobs of a bin have larger speed-ups', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('v1', 'v2'),
        fc.integer({ min: 129, max: 600 }),
        seeds,
        fc.string(),
        (spec, size, seed, id) => {
          expect(speedupOf(spec, size + 1, seed, id)).toBeGreaterThanOrEqual(speedupOf(spec, size, seed, id))
        },
      ),
    )
  })
})

describe('the draws for jobs', () => {
  it('the draws of `draw` never change, because logs depend on the draws', () => {
    expect([
      draw(1, 'scenario', '1'),
      draw(1, 'scenario', '2'),
      draw(2, 'scenario', '1'),
      draw(1, 'bandwidth', '1'),
      draw(2 ** 32 + 1, 'scenario', '1'),
      draw(-1, 'scenario', '1'),
    ]).toMatchInlineSnapshot(`
      [
        1126278989,
        2457155453,
        1946704049,
        848096595,
        2194708683,
        2664285643,
      ]
    `)
  })

  it('the draws of `drawOneOf` are uniform, and independent for different seeds, purposes and jobs', () => {
    const count = 20_000
    const pairs: ReadonlyArray<(id: number) => readonly [number, number]> = [
      (id) => [drawOneOf([0, 1, 2, 3], 1, 'scenario', String(id)), drawOneOf([0, 1, 2, 3], 2, 'scenario', String(id))],
      (id) => [drawOneOf([0, 1, 2, 3], 1, 'scenario', String(id)), drawOneOf([0, 1, 2, 3], 1, 'bandwidth', String(id))],
      (id) => [
        drawOneOf([0, 1, 2, 3], 1, 'scenario', String(id)),
        drawOneOf([0, 1, 2, 3], 1, 'scenario', String(id + 1)),
      ],
      (id) => [drawOneOf([0, 1, 2, 3], id, 'scenario', '7'), drawOneOf([0, 1, 2, 3], id + 1, 'scenario', '7')],
    ]
    for (const pair of pairs) {
      const cells = new Float64Array(16)
      for (let id = 0; id < count; id++) {
        const [a, b] = pair(id)
        cells[4 * a + b]++
      }
      // A chi-squared value with 15 degrees of freedom is above 37.7 once in a thousand times.
      expect(cells.reduce((sum, found) => sum + (found - count / 16) ** 2 / (count / 16), 0)).toBeLessThan(37.7)
    }
  })

  it('drawBandwidth gives every job a bandwidth class and changes nothing else', () => {
    fc.assert(
      fc.property(jobs, seeds, (list, seed) => {
        const drawn = drawBandwidth(list, seed)
        expect(drawn.map((job) => ({ ...job, bandwidth: undefined }))).toEqual(
          list.map((job) => ({ ...job, bandwidth: undefined })),
        )
        expect(drawn.every(({ bandwidth }) => bandwidthClasses.includes(bandwidth!))).toBe(true)
        expect(drawBandwidth(list.slice(1), seed)).toEqual(drawn.slice(1))
      }),
    )
    expect(
      new Set(
        drawBandwidth(
          Array.from({ length: 50 }, (_, id) => jobOf(1, 1, String(id))),
          3,
        ).map(({ bandwidth }) => bandwidth),
      ).size,
    ).toBe(4)
  })
})
