/**
 * Measures the time to read job logs: node --conditions=@cloister/source bench/read.ts FOLDER [TRACE …]. Without TRACE,
 * the benchmark reads the presets kth, theta, hpc2n and thunder. The benchmark reads each trace three times and prints
 * the shortest time.
 */
import { loadWorkload } from '../src/node/index.ts'

const [folder, ...named] = process.argv.slice(2)
if (folder === undefined) throw new Error('which folder?')

for (const trace of named.length > 0 ? named : ['kth', 'theta', 'hpc2n', 'thunder']) {
  let shortest = Infinity
  let jobs = 0
  for (let round = 0; round < 3; round++) {
    const began = performance.now()
    jobs = loadWorkload(trace, { folders: [folder] }).workload.jobs.length
    shortest = Math.min(shortest, performance.now() - began)
  }
  console.log(`${trace}: ${jobs} jobs in ${shortest.toFixed(0)} ms, ${((1000 * shortest) / jobs).toFixed(2)} µs a job`)
}
