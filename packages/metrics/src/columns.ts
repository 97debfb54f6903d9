/** What a column holds. */
export type ColumnKind = Float64ArrayConstructor | Int32ArrayConstructor | Uint8ArrayConstructor

/** An array for each of some columns. */
export type ColumnArrays<Kinds extends Readonly<Record<string, ColumnKind>>> = {
  [Name in keyof Kinds]: InstanceType<Kinds[Name]>
}

const FIRST_ROOM = 1024

/** Columns of numbers that grow together, a row at a time: a million rows are a few arrays, and can be kept as those. */
export class Columns<Kinds extends Readonly<Record<string, ColumnKind>>> {
  /** Rows; the arrays are longer. */
  length = 0
  /** Others once a row is added. */
  readonly of: ColumnArrays<Kinds>
  readonly #kinds: Kinds
  #room = FIRST_ROOM

  /** @param kept what `kept` gave; none: no rows yet */
  constructor(kinds: Kinds, kept?: ColumnArrays<Kinds>) {
    this.#kinds = kinds
    this.of = Object.fromEntries(
      Object.entries(kinds).map(([name, Kind]) => [name, kept?.[name] ?? new Kind(FIRST_ROOM)]),
    ) as ColumnArrays<Kinds>
    if (kept !== undefined) this.length = this.#room = Object.values(kept)[0].length
  }

  /** A row of zeros; gives its number. */
  add(): number {
    if (this.length === this.#room) this.#grow()
    return this.length++
  }

  /** The rows so far; a part of arrays that change with them. */
  get kept(): ColumnArrays<Kinds> {
    return Object.fromEntries(
      Object.entries(this.of).map(([name, array]) => [name, array.subarray(0, this.length)]),
    ) as ColumnArrays<Kinds>
  }

  #grow(): void {
    this.#room = Math.max(FIRST_ROOM, 2 * this.#room)
    for (const [name, Kind] of Object.entries(this.#kinds)) {
      const larger = new Kind(this.#room)
      larger.set(this.of[name])
      this.of[name as keyof Kinds] = larger as InstanceType<Kinds[keyof Kinds]>
    }
  }
}
