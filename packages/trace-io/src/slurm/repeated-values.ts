import type { JobLabels } from '../job-labels.ts'

/** Of a long history most hostlists differ: to keep them all would fill the memory, and save nothing. */
const MOST_TEXTS = 2 ** 16

/** Keeps what many rows of a file have in common once: users, accounts, partitions, hostlists. */
export class RepeatedValues {
  readonly #texts = new Map<string, string>()
  readonly #labels = new Map<string, JobLabels>()

  text(text: string): string {
    const kept = this.#texts.get(text)
    if (kept !== undefined) return kept
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear()
    this.#texts.set(text, text)
    return text
  }

  /** Empty where the file has none. Names of jobs are rarely the same. */
  labels(user: string, account: string, queue: string, name: string): JobLabels {
    const key = `${user}\n${account}\n${queue}`
    let labels = this.#labels.get(key)
    if (labels === undefined) {
      labels = { ...(user && { user }), ...(account && { account }), ...(queue && { queue }) }
      this.#labels.set(key, labels)
    }
    return name === '' ? labels : { ...labels, name }
  }
}
