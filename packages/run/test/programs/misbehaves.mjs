// A program that places jobs on the first free nodes, and misbehaves in one way at its second request or earlier.
import { spawn } from 'node:child_process'
import { closeSync, readSync, writeSync } from 'node:fs'

const [way] = process.argv.slice(2)
const say = (text) => {
  const bytes = Buffer.from(text)
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
const leave = (detached) => spawn('sleep', ['600'], { detached, stdio: ['ignore', 'inherit', 'inherit'] }).unref()

const claims = {
  links: 'shared',
  fullBandwidth: false,
  exactSize: true,
  monotone: true,
  complete: true,
  speedupScenarios: false,
}
const held = new Map()
let nodes = 0
let asked = 0

const answers = {
  hello: () => ({ contract: 1, name: way === 'is-called-strangely' ? 'My Policy' : 'misbehaves', version: '1.0.0' }),
  config: ({ config }) => ({ config }),
  make: ({ topology }) => {
    ;({ nodes } = topology)
    return way === 'makes-no-claims' ? {} : { claims }
  },
  place: ({ changes, request }) => {
    for (const job of changes?.ended ?? []) held.delete(job)
    for (const { job, nodes: ids } of changes?.started ?? []) held.set(job, idsOf(ids))
    const taken = new Set([...held.values()].flat())
    const free = [...Array(nodes).keys()].filter((node) => !taken.has(node))
    if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: free.length }
    return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
  },
}

const misbehave = {
  exits: () => process.exit(3),
  'is-aborted': () => process.kill(process.pid, 'SIGABRT'),
  hangs: hang,
  'ignores-signals': () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
    hang()
  },
  'stops-itself': () => process.kill(process.pid, 'SIGSTOP'),
  loops: () => {
    for (;;);
  },
  'prints-text': () => say('placing job 2\n'),
  'prints-a-list': () => say('[1,2]\n'),
  'prints-an-empty-line': () => say('\n'),
  'prints-bytes': () => writeSync(1, Buffer.from([0xff, 0xfe, 0x00, 0x0a])),
  'exits-in-a-line': () => {
    say('{"id":5,"ok":tr')
    process.exit(0)
  },
  'hangs-in-a-line': () => {
    say('{"id":5,"ok":tr')
    hang()
  },
  'answers-an-earlier-question': () => say('{"id":4,"ok":false,"code":"too-few-nodes","free":0}\n'),
  'answers-without-an-id': () => say('{"ok":false,"code":"too-few-nodes","free":0}\n'),
  'answers-twice': (answer) => say(`${answer}\n${answer}\n`),
  'floods-a-line': () => {
    for (;;) say('x'.repeat(2 ** 16))
  },
  'floods-lines': () => {
    for (;;) say('{}\n'.repeat(2 ** 12))
  },
  'names-strange-nodes': () => say('{"id":5,"ok":true,"nodes":"three","links":[]}\n'),
  'reports-an-error': () => say('{"id":5,"error":"KeyError: 7"}\n'),
  'closes-its-output': () => {
    closeSync(1)
    hang()
  },
  'closes-its-input': (answer) => {
    closeSync(0)
    say(`${answer}\n`)
    hang()
  },
  'leaves-a-child': () => {
    leave(false)
    process.exit(4)
  },
  'leaves-a-child-outside-of-its-group': () => {
    leave(true)
    process.exit(4)
  },
}

function idsOf(text) {
  return text.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

if (way === 'never-reads') hang()
if (way === 'exits-at-once') process.exit(5)
const buffer = Buffer.alloc(2 ** 16)
let text = ''
for (;;) {
  const read = readSync(0, buffer)
  if (read === 0) {
    if (way === 'goes-on-after-the-end') hang()
    break
  }
  text += buffer.toString('utf8', 0, read)
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n')) {
    const message = JSON.parse(text.slice(0, to))
    text = text.slice(to + 1)
    if (message.type === 'place' && ++asked === 2 && way in misbehave) {
      misbehave[way](JSON.stringify({ id: message.id, ...answers.place(message) }))
      continue
    }
    say(`${JSON.stringify({ id: message.id, ...answers[message.type](message) })}\n`)
  }
}
