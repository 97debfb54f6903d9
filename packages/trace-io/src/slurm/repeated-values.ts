import type { JobLabels } from '../job-labels.ts'

/** Most texts to keep: most hostlists of a long history differ, so keeping all texts would fill the memory in vain. */
const MOST_TEXTS = 2 ** 16

/** Store with one copy of each text that many rows share: users, accounts, partitions, states, hostlists. */
export class RepeatedValues {
  readonly #texts = new Map<string, string>()
  readonly #labels = new Map<string, JobLabels>()

  text(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear()
    this.#texts.set(text, text)
    return text
  }

  /**
   * Returns the labels of a row, without empty labels. Rows without a job name share one object for the same user,
   * account and queue. A row with a job name gets an object of its own, because names of jobs rarely repeat.
   */
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
