// This queue order answers its first question for scores well, and the second question wrongly in one way.
import { createInterface } from 'node:readline'

const [way] = process.argv.slice(2)
let asked = 0
let waiting = 0

const scores = (length) => ({ scores: Array(length).fill(0) })
const misbehave = {
  exits: () => process.exit(3),
  hangs: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  'prints-text': () => process.stdout.write('scores follow\n'),
  'gives-too-few-scores': () => scores(waiting - 1),
  'gives-no-scores': () => ({}),
  'gives-a-text': () => ({ scores: Array(waiting).fill('low') }),
  'names-a-strange-row': () => ({ first: [waiting] }),
  'names-a-row-twice': () => ({ first: [0, 0] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, left = [], joined = [] } = JSON.parse(line)
  waiting += joined.length - left.length
  const answers = {
    hello: () => ({ contract: 1, name: way === 'is-called-strangely' ? 'My Order' : 'misbehaves', version: '1.0.0' }),
    config: () => ({ config: {} }),
    make: () => ({ claims: way === 'makes-no-claims' ? undefined : { fixed: false } }),
    score: () => (++asked === 2 ? misbehave[way]() : way === 'names-a-strange-row' ? { first: [0] } : scores(waiting)),
  }
  const answer = answers[type]()
  if (typeof answer === 'object') process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`)
}
