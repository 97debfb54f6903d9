import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWorkload, formatSynthetic, generateSynthetic, parseSynthetic, SpecError } from '../src/index.ts'
import { exponential, integerBetween, uniformIntegers } from '../src/random.ts'

/**
 * Returns the stream of xoshiro128**, computed with big integers. The seed fills the state as the docstring of
 * `uniformIntegers` describes.
 */
function wide(seed: number): () => number {
  const word = 0xffff_ffffn
  const mix = (value: bigint): bigint => {
    let hash = value ^ (value >> 16n)
    hash = (hash * 0x85eb_ca6bn) & word
    hash ^= hash >> 13n
    hash = (hash * 0xc2b2_ae35n) & word
    return hash ^ (hash >> 16n)
  }
  const rotate = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (32n - by))) & word
  const state = [1n, 2n, 3n, 4n].map((step) => mix((BigInt(seed) + step * 0x9e37_79b9n) & word))
  return () => {
    const result = (rotate((state[1] * 5n) & word, 7n) * 9n) & word
    const shifted = (state[1] << 9n) & word
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotate(state[3], 11n)
    return Number(result)
  }
}

test('uniformIntegers gives the stream of xoshiro128**', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (seed) => {
      const [narrow, reference] = [uniformIntegers(seed), wide(seed)]
      for (let draw = 0; draw < 20; draw++) expect(narrow()).toBe(reference())
    }),
  )
})

test('exponential gives draws with the mean, the variance and the tails of the exponential distribution', () => {
  const uniform = uniformIntegers(7)
  const draws = Array.from({ length: 200_000 }, () => exponential(uniform))
  const mean = draws.reduce((a, b) => a + b) / draws.length
  const variance = draws.reduce((a, b) => a + (b - mean) ** 2, 0) / draws.length
  // Standard errors: 1/sqrt(n) for the mean, sqrt(8/n) for the variance, sqrt(p(1-p)/n) for a share p. The test allows
  // 4 standard errors.
  expect(Math.abs(mean - 1)).toBeLessThan(4 / Math.sqrt(draws.length))
  expect(Math.abs(variance - 1)).toBeLessThan(4 * Math.sqrt(8 / draws.length))
  for (const bound of [0.01, 0.5, 1, 2, 4, 8]) {
    const share = Math.exp(-bound)
    const found = draws.filter((draw) => draw > bound).length / draws.length
    expect(Math.abs(found - share), `share beyond ${bound}`).toBeLessThan(
      4 * Math.sqrt((share * (1 - share)) / draws.length),
    )
  }
})

test('integerBetween draws every integer of a range equally often, and none outside', () => {
  const uniform = uniformIntegers(3)
  const draws = Array.from({ length: 20_000 }, () => integerBetween(5, 14, uniform))
  for (let value = 5; value <= 14; value++)
    expect(Math.abs(draws.filter((draw) => draw === value).length - 2000)).toBeLessThan(4 * Math.sqrt(1800))
  expect(draws.every((draw) => Number.isInteger(draw) && draw >= 5 && draw <= 14)).toBe(true)
  expect([integerBetween(20, 3000, () => 0), integerBetween(20, 3000, () => 0xffff_ffff)]).toEqual([20, 3000])
})

test.each([
  ['synth:16', 'e438ad8c717921398876d882182f0360f74952e36e8d8659a102aabde6d7b8a7', 154],
  ['synth:22', 'd10d3017c9a2acd3cdb6bb96563a70e1059e67a0a6efc549a2ef8c56757acdfc', 212],
  ['synth:28', '5ced7b47d1d42617bc98330c2e607381ad5cbc3307502ba421a91df05ae680fb', 270],
])(
  'the spec %s gives the same 10,000 jobs on every machine, with a mean size close to the mean of the spec',
  (text, hash, largest) => {
    const options = parseSynthetic(text)
    const workload = generateSynthetic(options)
    expect(workload.sha256).toBe(hash)
    const { jobs, size, runTime, span, estimates } = describeWorkload(workload)
    expect([jobs, size!.min, size!.max, runTime!.min, runTime!.max, span, estimates.known]).toEqual([
      10_000,
      1,
      largest,
      20,
      3000,
      0,
      0,
    ])
    expect(Math.abs(size!.mean - options.mean)).toBeLessThan((4 * options.mean) / 100)
    expect(Math.abs(runTime!.mean - 1510)).toBeLessThan((4 * 860.5) / 100)
  },
)

test('by the rules laas, sizes and run times are cut off, and a drawn size of at most 1 becomes the mean', () => {
  const [mean, count] = [16, 100_000]
  const { jobs } = generateSynthetic(parseSynthetic(`synth:laas:${mean}:${count}`))
  const uniform = uniformIntegers(1)
  const drawn = Array.from({ length: 2000 }, () => ({ size: mean * exponential(uniform), time: uniform() / 2 ** 32 }))
  expect(drawn.some(({ size }) => size <= 1)).toBe(true)
  expect(jobs.slice(0, 2000).map(({ size, runTime }) => ({ size, runTime: runTime / 1000 }))).toEqual(
    drawn.map(({ size, time }) => ({
      size: Math.trunc(size <= 1 ? mean : size),
      runTime: Math.trunc(20 + 2980 * time),
    })),
  )
  const share = (size: number): number => jobs.filter((job) => job.size === size).length / count
  const between = (low: number, high: number): number => Math.exp(-low / mean) - Math.exp(-high / mean)
  const expected = (size: number): number => between(size, size + 1) + (size === mean ? between(0, 1) : 0)
  for (const size of [1, 2, 15, 16, 17, 40])
    expect(Math.abs(share(size) - expected(size)), `size ${size}`).toBeLessThan(4 * Math.sqrt(expected(size) / count))
  const times = jobs.map(({ runTime }) => runTime / 1000)
  expect([times.includes(20), times.includes(2999), times.every((time) => time >= 20 && time < 3000)]).toEqual([
    true,
    true,
    true,
  ])
})

test('the traces of seed 49 by the rules laas have largest jobs of the sizes in Table 1 of the Jigsaw paper', () => {
  const largest = ['synth:laas:16', 'synth:laas:22', 'synth:laas:28'].map(
    (text) => describeWorkload(generateSynthetic(parseSynthetic(`${text}:10000:49`))).size!.max,
  )
  expect(largest).toEqual([138, 190, 241])
})

function jobsOf(text: string): unknown {
  return generateSynthetic(parseSynthetic(text)).jobs
}

test('a shorter synthetic trace is the beginning of a longer trace, and another seed gives another trace', () => {
  expect(jobsOf('synth:16:300')).toEqual(generateSynthetic(parseSynthetic('synth:16')).jobs.slice(0, 300))
  expect(jobsOf('synth:16:300:2')).not.toEqual(jobsOf('synth:16:300'))
})

test('parseSynthetic reads and formatSynthetic spells specs, and parseSynthetic refuses wrong specs', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 100_000_000 }),
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 0, max: 0xffff_ffff }),
      (thousandths, count, seed) => {
        const options = { mean: thousandths / 1000, count, seed }
        expect(parseSynthetic(formatSynthetic(options))).toEqual(options)
        expect(parseSynthetic(`synth:${options.mean}:${count}:${seed}`)).toEqual(options)
        expect(parseSynthetic(formatSynthetic({ ...options, rules: 'laas' }))).toEqual({ ...options, rules: 'laas' })
      },
    ),
  )
  expect(
    ['synth:16.0:10000:1', 'synth:16:5000', 'synth:16:10000:7', 'synth:laas:16:10000:1'].map((text) =>
      formatSynthetic(parseSynthetic(text)),
    ),
  ).toEqual(['synth:16', 'synth:16:5000', 'synth:16:10000:7', 'synth:laas:16'])
  for (const text of [
    'synth:',
    'synth:0',
    'synth:0.5',
    'synth:x',
    'synth:16:',
    'synth:16:0',
    'synth:16:10:',
    'synth:16:10:4294967296',
    'synth:16:10000001',
    'synth:100001',
    'synth:16:5:1:1',
    'synth:laas',
    'synth:laas:',
    'synth:other:16',
  ]) {
    expect(() => parseSynthetic(text), text).toThrow(SpecError)
  }
})
