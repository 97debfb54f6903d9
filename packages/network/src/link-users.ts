/**
 * Users of each link in order of arrival. `add` and `remove` take constant time for any number of users, and allocate
 * no memory after the largest number of simultaneous uses has been reached. A use is the presence of one user on one
 * link, and has a number.
 */
export class LinkUsers<User> {
  /** First and last use of each link; -1 if the link has no use. */
  readonly #first: Int32Array
  readonly #last: Int32Array
  // `#users`, `#places`, `#next` and `#previous` have an entry for each use. `#next` chains the numbers of removed
  // uses, beginning with `#unused`.
  readonly #users: Array<User | undefined> = []
  readonly #places: Array<number> = []
  readonly #next: Array<number> = []
  readonly #previous: Array<number> = []
  #unused = -1

  constructor(links: number) {
    this.#first = new Int32Array(links).fill(-1)
    this.#last = new Int32Array(links).fill(-1)
  }

  /** Adds a use and returns its number. @param place index of the link in the user's own list of links */
  add(link: number, user: User, place: number): number {
    const use = this.#unused < 0 ? this.#users.length : this.#unused
    if (this.#unused >= 0) this.#unused = this.#next[use]
    this.#users[use] = user
    this.#places[use] = place
    this.#next[use] = -1
    const last = this.#last[link]
    this.#previous[use] = last
    if (last < 0) this.#first[link] = use
    else this.#next[last] = use
    this.#last[link] = use
    return use
  }

  remove(link: number, use: number): void {
    const [previous, next] = [this.#previous[use], this.#next[use]]
    if (previous < 0) this.#first[link] = next
    else this.#next[previous] = next
    if (next < 0) this.#last[link] = previous
    else this.#previous[next] = previous
    this.#users[use] = undefined
    this.#next[use] = this.#unused
    this.#unused = use
  }

  /** Returns the first use of a link; -1 if the link has no use. */
  firstOn(link: number): number {
    return this.#first[link]
  }
  /** Returns the next use of the same link in order of arrival; -1 for the last use. */
  after(use: number): number {
    return this.#next[use]
  }
  userOf(use: number): User {
    return this.#users[use]!
  }
  placeOf(use: number): number {
    return this.#places[use]
  }
}
