import { describe, expect, it } from 'vitest'
import { canonicalSpec, describeSpec, formatCommand, type GivenSpec, OptionError, specKey } from '../src/index.ts'
import { filesOf } from './memory.ts'

const files = filesOf({})
const least: GivenSpec = { trace: 'synth:4', topology: 'radix:6', policy: 'jigsaw' }
const canonical = (given: object) => canonicalSpec({ ...least, ...given }, files)

describe('the canonical description of a run', () => {
  it('canonicalSpec leaves out default values, except of the queue', () => {
    const said = { overrun: 'kill', requeue: false, seed: 1, config: {}, filter: '' }
    expect(canonical(said)).toEqual({ ...least, queue: 'easy:50' })
    expect(specKey(canonical(said))).toBe(specKey(canonical({})))
  })

  it('canonicalSpec gives canonical spellings and sorted keys', () => {
    const { config, ...rest } = canonical({
      policy: { name: 'jigsaw', config: { order: 'x', a: { z: 1, b: 2 } } },
      filter: 'size=requested/1,runtime>0',
      arrivals: 'scale:1',
      scenario: '05%',
      topology: 'radix:6',
    })
    expect(JSON.stringify(config)).toBe('{"a":{"b":2,"z":1},"order":"x"}')
    expect(rest).toMatchObject({
      filter: 'size=requested,runtime>0',
      arrivals: 'trace',
      scenario: '5%',
      policy: 'jigsaw',
    })
  })

  it.each([
    [{ sede: 7 }, 'sede', 'no option has this name'],
    [{ queue: 'easy' }, 'queue', 'found "easy", expected fcfs'],
    [{ seed: 1.5 }, 'seed', 'found 1.5, expected a whole number'],
    [{ procsPerNode: 0 }, 'procsPerNode', 'found 0, expected a whole number of at least 1'],
    [{ scenario: 'fast' }, 'scenario', 'found "fast", expected none'],
    [{ topology: undefined }, 'topology', 'is missing; expected a text'],
    [{ topology: 'slurm:none.conf' }, 'topology', 'there is no such file'],
    [{ arrivals: 'soon' }, 'arrivals', `found "soon", expected 'trace'`],
    [{ communication: 'all' }, 'communication', 'found "all", expected none'],
    [{ communication: 'mishra-b' }, 'communication', 'expected 90%:recursive-halving-vector-doubling:50%'],
  ])('canonicalSpec refuses the description %j', (given, option, reason) => {
    let found: unknown
    try {
      canonical(given)
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(OptionError)
    expect(found).toMatchObject({ option, reason: expect.stringContaining(reason) as string })
  })
})

describe('a description as text', () => {
  const spec = canonical({ config: { order: "it's" }, seed: 7, requeue: true, refusals: true })

  it('formatCommand returns a description as arguments for a shell', () => {
    expect(formatCommand(spec)).toBe(
      `--trace synth:4 --topology radix:6 --policy jigsaw --policy-config '{"order":"it'\\''s"}' --requeue --seed 7 --refusals`,
    )
    expect(formatCommand(canonical({ topology: 'pgft:2;4,4;1,4;1,1' }))).toContain("'pgft:2;4,4;1,4;1,1'")
  })

  it('describeSpec returns a description as one line', () => {
    expect(describeSpec(spec)).toBe(
      `synth:4, radix:6, jigsaw {"order":"it's"}, easy:50, requeue true, seed 7, refusals true`,
    )
  })
})
