import type { PolicyReply, PolicyTask } from './policy-thread.ts'

/** Questions of somebody who looks at a moment; the others are those of a track, of which there are dozens. */
const OF_THE_MOMENT: ReadonlySet<PolicyTask['name']> = new Set(['why', 'relief'])
/** Answers that are kept. */
const KEPT = 4000

interface Waiting {
  readonly task: PolicyTask
  readonly settle: (reply: PolicyReply) => void
}

/** The questions to one thread: one at a time, those about the moment first, each asked once only. */
export class PolicyTasks {
  readonly #send: (task: PolicyTask) => void
  readonly #known = new Map<string, PolicyReply>()
  #waiting: Array<Waiting> = []
  #asked: Waiting | undefined

  constructor(send: (task: PolicyTask) => void) {
    this.#send = send
  }

  /** @returns what takes the question back: nobody waits for its answer any more */
  ask(task: PolicyTask, settle: (reply: PolicyReply) => void): () => void {
    const known = this.#known.get(keyOf(task))
    if (known !== undefined) {
      settle(known)
      return () => {}
    }
    const waiting = { task, settle }
    this.#waiting.push(waiting)
    this.#next()
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting)
    }
  }

  /** The thread's answer to what it was asked. */
  reply(reply: PolicyReply): void {
    const asked = this.#asked
    this.#asked = undefined
    if (asked !== undefined) {
      if ('answer' in reply) this.#keep(asked.task, reply)
      asked.settle(reply)
    }
    this.#next()
  }

  /** The thread has ended: nothing is answered any more. */
  end(failure: string): void {
    const all = [...(this.#asked === undefined ? [] : [this.#asked]), ...this.#waiting]
    this.#asked = undefined
    this.#waiting = []
    for (const { settle } of all) settle({ failure })
  }

  /** What failed may not fail the next time: a log that grows was too short for an answer. */
  #keep(task: PolicyTask, reply: PolicyReply): void {
    if (this.#known.size >= KEPT) this.#known.clear()
    this.#known.set(keyOf(task), reply)
  }

  #next(): void {
    while (this.#asked === undefined && this.#waiting.length > 0) {
      // The latest of those about a moment: it is what is looked at now.
      const urgent = this.#waiting.findLastIndex(({ task }) => OF_THE_MOMENT.has(task.name))
      const [next] = this.#waiting.splice(Math.max(0, urgent), 1)
      const known = this.#known.get(keyOf(next.task))
      if (known !== undefined) next.settle(known)
      else {
        this.#asked = next
        this.#send(next.task)
      }
    }
  }
}

/** What comes after a moment of a log that grows may change the state there, of none else. */
function keyOf({ path, generation, name, question, records }: PolicyTask): string {
  return JSON.stringify([path, generation, name, question, 'seq' in question ? 0 : records])
}
