/**
 * Who uses each link, in the order in which they came. Coming and going takes the same few steps however many use a link, and
 * allocates nothing once as many have come as there ever are at a time.
 *
 * A use is a user on a link, and has a number of its own.
 */
export class LinkUsers<User> {
  /** By link: its first use and its last; -1 for none. */
  readonly #first: Int32Array
  readonly #last: Int32Array
  // By use. Those that are not in use are chained by `next`, from `unused` on.
  readonly #users: Array<User | undefined> = []
  readonly #places: Array<number> = []
  readonly #next: Array<number> = []
  readonly #previous: Array<number> = []
  #unused = -1

  /** @param links how many there are */
  constructor(links: number) {
    this.#first = new Int32Array(links).fill(-1)
    this.#last = new Int32Array(links).fill(-1)
  }

  /** @param place what the user calls the link. @returns the number of the use */
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

  /** The first use of a link; -1 for none. */
  firstOn(link: number): number {
    return this.#first[link]
  }
  /** The one that came next; -1 for none. */
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
