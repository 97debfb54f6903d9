import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateSynthetic, parseSynthetic } from '@cloister/workload'
import { expect, test } from 'vitest'
import { formatSwf, swfFromWorkload, traceManifest } from '../src/index.ts'
import { loadWorkload } from '../src/node/index.ts'
import { sha256 } from '../src/node/trace-file.ts'

const traces = new URL('../../../traces/', import.meta.url)

test('the generator of synthetic traces gives the files in the folder traces/, byte by byte', () => {
  expect(traceManifest().generated.map(({ file }) => file)).toEqual(['synth-16.swf'])
  for (const { file, trace, sha256: expected } of traceManifest().generated) {
    const kept = readFileSync(new URL(file, traces))
    expect(sha256(kept)).toBe(expected)
    expect(kept.toString()).toBe(formatSwf(swfFromWorkload(generateSynthetic(parseSynthetic(trace)))))
    expect(kept.length).toBeLessThan(600_000)
  }
})

test('the file of a synthetic trace in traces/ and the generated trace have equal job lists', () => {
  const kept = loadWorkload(fileURLToPath(new URL('synth-16.swf', traces)))
  const generated = loadWorkload('synth:16')
  expect(kept.workload.jobs).toEqual(generated.workload.jobs)
  expect(kept.workload.sha256).toBe(generated.workload.sha256)
  expect([kept.workload.name, generated.workload.name, generated.arrivals]).toEqual(['synth-16', 'synth:16', 'zero'])
})
