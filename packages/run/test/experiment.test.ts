import { describe, expect, it } from 'vitest'
import { ExperimentError, parseExperiment } from '../src/index.ts'
import { filesOf } from './memory.ts'

const read = (experiment: unknown) =>
  parseExperiment(typeof experiment === 'string' ? experiment : JSON.stringify(experiment), filesOf({}))
const least = { trace: 'synth:4', topology: 'radix:6', policy: 'baseline' }

describe('an experiment', () => {
  it('an experiment has one run for every combination of the values of a cell', () => {
    const specs = read({
      note: 'twelve, of which four are the same',
      cells: [
        {
          ...least,
          policy: ['baseline', { name: 'jigsaw', config: { order: 'x' } }],
          seed: [1, 2, 1],
          queue: ['fcfs', 'easy:5'],
        },
      ],
    })
    expect(specs.map(({ policy, config, queue, seed }) => [policy, config, queue, seed])).toEqual([
      ['baseline', undefined, 'fcfs', undefined],
      ['baseline', undefined, 'fcfs', 2],
      ['baseline', undefined, 'easy:5', undefined],
      ['baseline', undefined, 'easy:5', 2],
      ['jigsaw', { order: 'x' }, 'fcfs', undefined],
      ['jigsaw', { order: 'x' }, 'fcfs', 2],
      ['jigsaw', { order: 'x' }, 'easy:5', undefined],
      ['jigsaw', { order: 'x' }, 'easy:5', 2],
    ])
  })

  it.each<readonly [string, unknown, string, string]>([
    ['no JSON', 'cells: []', '', 'line 1, column 1: expected a value, found "cells"; expected JSON, such as {"cells":'],
    ['no cells', {}, 'cells', 'is missing; expected a list of at least one cell'],
    ['no list of cells', { cells: 7 }, 'cells', 'found 7, expected a list of at least one cell'],
    ['an unknown field', { cells: [{ ...least, sede: 1 }] }, 'cells[0].sede', 'no field has this name'],
    ['an unknown field beside the cells', { cells: [least], seeds: 1 }, 'seeds', 'no field has this name'],
    [
      'an unknown field of a policy',
      { cells: [{ ...least, policy: { name: 'jigsaw', confg: {} } }] },
      'cells[0].policy.confg',
      'no field has this name',
    ],
    ['a missing field', { cells: [{ topology: 'radix:6', policy: 'baseline' }] }, 'cells[0].trace', 'is missing'],
    [
      'a value of a wrong type',
      { cells: [{ ...least, seed: 'one' }] },
      'cells[0].seed',
      'found "one", expected a whole number, or a list',
    ],
    [
      'a list with a value of a wrong type',
      { cells: [{ ...least, seed: [1, null] }] },
      'cells[0].seed',
      'found null, expected a whole',
    ],
    [
      'an empty list of values',
      { cells: [{ ...least, seed: [] }] },
      'cells[0].seed',
      'found [], expected a whole number',
    ],
    ['a wrong trace', { cells: [{ ...least, trace: 'synth:0' }] }, 'cells[0].trace', 'found "synth:0"'],
    [
      'a wrong topology in a list',
      { cells: [least, { ...least, topology: ['radix:6', 'radix:7'] }] },
      'cells[1].topology',
      'radix',
    ],
    ['a wrong queue', { cells: [{ ...least, queue: 'easy' }] }, 'cells[0].queue', 'found "easy", expected fcfs'],
    ...['data:text/javascript,1', 'file:///mine.js', 'node:fs', 'https://here/mine.js'].flatMap(
      (url) =>
        [
          ['a URL as policy', { cells: [{ ...least, policy: url }] }, 'cells[0].policy', ', not a URL'],
          [
            'a URL as name of a policy',
            { cells: [{ ...least, policy: { name: url } }] },
            'cells[0].policy.name',
            ', not a URL',
          ],
        ] as const,
    ),
    ['a program', { cells: [{ ...least, policy: 'exec:true' }] }, 'cells[0].policy', 'CLOISTER_PROGRAMS=1 allows'],
    [
      'too many runs',
      { cells: [{ ...least, seed: [...Array(400).keys()], procsPerNode: [...Array(400).keys()].map((n) => n + 1) }] },
      'cells[0]',
      'stands for more than 100000 runs',
    ],
    [
      'JSON nested without end',
      `{"cells":[{"config":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}]}`,
      '',
      'arrays and objects may be nested at most 64 deep',
    ],
  ])('parseExperiment names the wrong field in the error for %s', (_, experiment, field, reason) => {
    let found: unknown
    try {
      read(experiment)
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(ExperimentError)
    expect(found).toMatchObject({ field, reason: expect.stringContaining(reason) as string })
  })

  it('parseExperiment allows packages and paths as policies, and brackets in texts', () => {
    const policy = ['@mine/policy', 'policy', './a.ts', '/b.js', 'C:/c.js']
    expect(read({ note: `${'['.repeat(200)}\\"{`, cells: [{ ...least, policy }] })).toHaveLength(5)
  })

  it('parseExperiment lists the known fields in the error for an unknown field', () => {
    expect(() => read({ cells: [{ ...least, sede: 1 }] })).toThrow(
      expect.objectContaining({ known: expect.arrayContaining(['seed', 'queue']) as unknown }),
    )
  })
})
