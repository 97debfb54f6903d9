import type { Resources } from '../allocations.ts'
import { Draw, resized } from './draws.ts'
import { answers, defectOf } from './properties/answers.ts'
import { type Asked, Asker, type Defect, NoAnswer, type Property, type Question, Stopwatch } from './questions.ts'
import { plainRequest, requestText, resourcesText, type Scene, type SceneAllocation, stateOf } from './scenes.ts'
import type { Subject } from './subjects.ts'
import type { Request } from '../contract.ts'

/** Questions of a history, and the defect that the last question shows. */
interface Shown {
  readonly questions: ReadonlyArray<Asked>
  readonly defect: Defect
}

/** Limits of one shrinking: trials, milliseconds inside of `place`, and tried seeds of the last question. */
const TRIALS = 800
const MOST_MS = 3000
const SEEDS = 30

/**
 * Searches for fewer and smaller questions that break the same property of a new placer; undefined if not even all
 * questions do so.
 */
export function shrink(subject: Subject, property: Property, all: ReadonlyArray<Asked>): Shown | undefined {
  const shrinking = new Shrinking(subject, property)
  if (!shrinking.accepts(all.slice(-1)) && !shrinking.accepts(all)) return undefined
  shrinking.leaveOutQuestions()
  for (let before = -1; before !== shrinking.accepted;) {
    before = shrinking.accepted
    shrinking.shrinkScene()
    shrinking.shrinkRequest()
  }
  shrinking.pickSeed()
  return shrinking.shown
}

class Shrinking {
  shown: Shown | undefined
  accepted = 0
  readonly #subject: Subject
  readonly #property: Property
  readonly #stopwatch = new Stopwatch(Infinity)
  #trials = 0

  constructor(subject: Subject, property: Property) {
    this.#subject = subject
    this.#property = property
  }

  /** If a new placer breaks the property for these questions, keeps them in `shown` and returns true. */
  accepts(questions: ReadonlyArray<Asked>): boolean {
    if (this.#trials++ >= TRIALS || this.#stopwatch.milliseconds > MOST_MS) return false
    const defect = this.#defect(questions)
    if (defect === undefined) return false
    this.shown = { questions, defect }
    this.accepted++
    return true
  }

  leaveOutQuestions(): void {
    const last = this.shown!.questions.slice(-1)
    leaveOut(this.shown!.questions.slice(0, -1), (earlier) => this.accepts([...earlier, ...last]))
  }

  shrinkScene(): void {
    for (const part of ['running', 'ahead', 'down', 'withheld'] as const) {
      leaveOut<Resources>(this.#last.scene[part], (some) => this.#acceptsPart(part, some))
      for (let at = 0; at < this.#last.scene[part].length; at++) this.#shrinkResources(part, at)
    }
    // Tries to leave out the ids, ends and communication of jobs.
    for (const part of ['running', 'ahead'] as const) {
      const jobs = this.#last.scene[part]
      if (jobs.some(({ estimatedEnd }) => estimatedEnd !== undefined)) this.#acceptsPart(part, jobs.map(resourcesAlone))
    }
  }

  shrinkRequest(): void {
    const { request } = this.#last
    for (const name of Object.keys(plainRequest) as Array<keyof typeof plainRequest>)
      if (request[name] !== plainRequest[name]) this.#acceptsRequest({ [name]: plainRequest[name] })
    for (const nodes of [1, 2, Math.ceil(request.nodes / 2), request.nodes - 1])
      if (nodes > 0 && nodes < this.#last.request.nodes) this.#acceptsSize(nodes)
  }

  /** Picks the seed of the last question that gives the shortest printed test. */
  pickSeed(): void {
    let best = this.shown!
    const length = ({ defect }: Shown): number => defect.message.length + defect.test.join('').length
    for (let seed = 1; seed <= SEEDS; seed++) {
      if (!this.accepts([...best.questions.slice(0, -1), { ...best.questions.at(-1)!, seed }])) continue
      if (length(this.shown!) < length(best)) best = this.shown!
    }
    this.shown = best
  }

  get #last(): Asked {
    return this.shown!.questions.at(-1)!
  }

  #acceptsLast(last: Asked): boolean {
    return this.accepts([...this.shown!.questions.slice(0, -1), last])
  }

  #acceptsPart(part: keyof Scene, some: ReadonlyArray<Resources>): boolean {
    return this.#acceptsLast({ ...this.#last, scene: { ...this.#last.scene, [part]: some } })
  }

  #acceptsRequest(change: Partial<Request>): boolean {
    return this.#acceptsLast({ ...this.#last, request: { ...this.#last.request, ...change } })
  }

  /** Keeps a communication matrix of another number of ranks only if the defect needs the matrix. */
  #acceptsSize(nodes: number): void {
    if (!this.#acceptsRequest(resized(this.#last.request, nodes))) this.#acceptsRequest({ nodes })
  }

  #shrinkResources(part: keyof Scene, at: number): void {
    const of = (): Resources => this.#last.scene[part][at]
    const accepts = (change: Partial<Resources>): boolean =>
      this.#acceptsPart(
        part,
        this.#last.scene[part].map((each, i) => (i === at ? { ...each, ...change } : each)),
      )
    leaveOut(Array.from(of().nodes), (nodes) => accepts({ nodes }))
    if (of().links.every(({ length }) => length === 0) || accepts({ links: [] })) return
    of().links.forEach((ids, level) =>
      leaveOut(Array.from(ids), (some) => accepts({ links: of().links.map((each, i) => (i === level ? some : each)) })),
    )
  }

  /** Returns the defect that the requests show; undefined if they show none, or if the scene cannot be built. */
  #defect(questions: ReadonlyArray<Asked>): Defect | undefined {
    const asker = new Asker(this.#subject, this.#subject.anotherPlacer(), this.#stopwatch)
    const other = (): Asker => new Asker(this.#subject, this.#subject.anotherPlacer(), this.#stopwatch)
    const last = questions.at(-1)!
    try {
      for (const asked of questions.slice(0, -1)) this.#answer(asker, asked)
      const answer = this.#answer(asker, last)
      return this.#property.defect({
        subject: this.#subject,
        asker,
        other,
        ...last,
        ...answer,
        draw: new Draw(last.seed),
      })
    } catch (error) {
      return error instanceof NoAnswer && this.#property === answers ? defectOf(error) : undefined
    }
  }

  #answer(asker: Asker, { scene, request }: Asked): Pick<Question, 'state' | 'before' | 'outcome'> {
    const state = stateOf(asker.placer, this.#subject.topology, scene)
    const before = state.fork()
    return { state, before, outcome: asker.ask(state, scene, request) }
  }
}

function resourcesAlone({ nodes, links, bandwidth }: SceneAllocation): SceneAllocation {
  return { nodes, links, ...(bandwidth === undefined ? {} : { bandwidth }) }
}

/** Removes halves, quarters, and finally single items of a list, each if `accepts` returns true for the rest. */
function leaveOut<Item>(all: ReadonlyArray<Item>, accepts: (some: ReadonlyArray<Item>) => boolean): void {
  let rest = all
  for (let size = rest.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < rest.length;) {
      const some = [...rest.slice(0, from), ...rest.slice(from + size)]
      if (accepts(some)) rest = some
      else from += size
    }
  }
}

/** Returns the code of a vitest test that shows a defect, for the test file of the policy. */
export function asTest({ machine, config }: Subject, name: string, { questions, defect }: Shown): string {
  const last = questions.at(-1)!
  const scene = defect.scene ?? last.scene
  const request = requestText(defect.request ?? last.request)
  const body = [
    `const topology = ${machine.code}`,
    `const config = ${JSON.stringify(config)}`,
    'const { placer } = bindPolicy(policy, topology, config)',
    ...questions
      .slice(0, -1)
      .map((earlier) => `ask(placer, ${stateText(earlier.scene)}, ${requestText(earlier.request)})`),
    `const state = ${stateText(scene)}`,
    `const asked = ${request}`,
    // If the defect is a missing answer, `defect.test` is empty, because `ask` itself throws or hangs.
    `${defect.test.length > 0 ? 'const outcome = ' : ''}ask(placer, state, asked)`,
    ...defect.test,
  ]
  return `test(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join('')}})`
}

/** Returns the code `stateOf(placer, topology, …)`, which makes the state of a scene. */
export function stateText({ running, ahead, down, withheld }: Scene): string {
  const lists = Object.entries({
    running: running.map(allocationAlone),
    ahead: ahead.map(allocationAlone),
    down,
    withheld,
  })
    .filter(([, list]) => list.length > 0)
    .map(
      ([name, list]) =>
        `    ${name}: [\n${list.map((each) => `      ${resourcesText({ ...each })},\n`).join('')}    ],\n`,
    )
  return `stateOf(placer, topology${lists.length === 0 ? '' : `, {\n${lists.join('')}  }`})`
}

/** The job's id and start order are left out, because few policies read them. */
function allocationAlone({ nodes, links, bandwidth, estimatedEnd, communicates }: SceneAllocation): SceneAllocation {
  return {
    nodes,
    links,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(estimatedEnd === undefined ? {} : { estimatedEnd }),
    ...(communicates === undefined ? {} : { communicates }),
  }
}
