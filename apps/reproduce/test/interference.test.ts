import { parseTopology, seededDraws } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { runStudy } from '../src/pollard/interference.ts'
import { messagesOf } from '../src/pollard/job-messages.ts'
import { obliviousPlacements, placeObliviously } from '../src/pollard/oblivious-placements.ts'
import * as paper from '../src/pollard/paper.ts'

const topology = parseTopology('radix:8')
const study: paper.InterferenceStudy = { ...paper.interference[1], topology: 'radix:8', sizes: [3, 24] }

describe('interference on a small machine', () => {
  const studied = runStudy(study, 3)
  const meansOf = (placement: string, routing: string): number => {
    const values = studied.speedups
      .filter((each) => each.placement === placement && each.routing === routing)
      .map(({ value }) => value)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }

  test('no job under TA is slowed by another one', () => expect(studied.isUndisturbed).toBe(true))

  test('jobs on random nodes are slower under static routes, and the same with all links spread over', () => {
    expect(meansOf('random', 'D-mod-k')).toBeGreaterThan(1.05)
    expect(meansOf('random', 'random up-ports')).toBeGreaterThan(1.05)
    // Full bisection: spreading leaves no link between switches above what nodes can send.
    expect(meansOf('random', 'spread')).toBeCloseTo(1, 6)
  })

  test('the same seeds give the same speed-ups', () =>
    expect(runStudy(study, 1).speedups).toEqual(studied.speedups.filter(({ workload }) => workload === 0)))
})

test.each(obliviousPlacements)('%s gives every job its nodes, each once', (how) => {
  const sizes = [40, 1, 17, 60, 10]
  const nodes = placeObliviously(how, topology, sizes, seededDraws(2))
  expect(nodes.map((each) => each.length)).toEqual(sizes)
  expect(new Set(nodes.flat()).size).toBe(128)
  for (const each of nodes) expect(each).toEqual([...each].sort((a, b) => a - b))
})

describe('messages of a job', () => {
  test.each(paper.proxies)('%s: as many leave a node as reach it, and none stays on it', (proxy) => {
    const { from, to, count } = messagesOf(proxy, 12, 3, seededDraws(5))
    const balance = new Float64Array(12)
    for (let at = 0; at < from.length; at++) {
      expect(from[at]).not.toBe(to[at])
      balance[from[at]] += count[at]
      balance[to[at]] -= count[at]
    }
    expect([...balance]).toEqual(Array(12).fill(0))
  })

  test('pairs: four ranks of a node of the first half send to the node half the job on', () => {
    const { from, to, count, size } = messagesOf('pairs', 4, 3, seededDraws(1))
    expect([...from].map((node, at) => [node, to[at], count[at]])).toEqual([
      [0, 2, 4],
      [2, 0, 4],
      [1, 3, 4],
      [3, 1, 4],
    ])
    expect(size).toBe(10)
  })
})
