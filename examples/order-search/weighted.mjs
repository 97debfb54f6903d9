// A queue order with weights: the score of a job is the weighted sum of its features, and the lowest score is first.
// A positive weight of `logEstimate` favours short jobs; a negative weight of `wait` favours jobs that have waited long.

const HOUR = 3_600_000
/** Jobs without an estimate have the estimate Infinity; 0 · Infinity would be no score. */
const YEAR = 8760 * HOUR

/** Features of a job that waits for `wait` ms and asks for `size` of `nodes` nodes for `estimate` ms. */
const features = {
  /** Hours. */
  wait: (wait) => wait / HOUR,
  /** Hours. */
  estimate: (_wait, estimate) => estimate / HOUR,
  /** Part of the machine. */
  size: (_wait, _estimate, size, nodes) => size / nodes,
  /** Hours of the whole machine. */
  area: (_wait, estimate, size, nodes) => (estimate / HOUR) * (size / nodes),
  /** Doublings of a second. */
  logWait: (wait) => Math.log2(1 + wait / 1000),
  /** Doublings of a second. */
  logEstimate: (_wait, estimate) => Math.log2(Math.max(estimate / 1000, 1)),
  /** Doublings of a node. */
  logSize: (_wait, _estimate, size) => Math.log2(size),
}

/** Checks a config such as {"logEstimate":1}. A missing weight is 0. */
function validate(config) {
  if (typeof config !== 'object' || config === null) return { issues: [{ message: 'expected an object of weights' }] }
  const issues = Object.entries(config).flatMap(([name, weight]) => {
    if (!(name in features)) return [{ message: `expected one of ${Object.keys(features).join(', ')}`, path: [name] }]
    return Number.isFinite(weight) ? [] : [{ message: `found ${weight}, expected a number`, path: [name] }]
  })
  if (issues.length > 0) return { issues }
  return { value: Object.fromEntries(Object.keys(features).map((name) => [name, config[name] ?? 0])) }
}

function make({ nodes }, config) {
  const weighted = Object.entries(config).filter(([, weight]) => weight !== 0)
  return {
    // Without a weight of the wait, a score never changes, and the scheduler asks only once for each job.
    claims: { fixed: config.wait === 0 && config.logWait === 0 },
    score({ waiting, now }, scores) {
      for (let row = 0; row < waiting.length; row++) {
        const wait = Math.max(now - waiting.submitted[row], 0)
        const estimate = Math.min(waiting.estimate[row], YEAR)
        scores[row] = 0
        for (const [name, weight] of weighted)
          scores[row] += weight * features[name](wait, estimate, waiting.size[row], nodes)
      }
    },
  }
}

export default {
  contract: 1,
  name: 'weighted',
  version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'example', validate } },
  make,
}
