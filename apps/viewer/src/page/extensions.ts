import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { SavedFigure } from './drawing/save.tsx'
import type { RunClient } from './state/run-client.ts'

/** The visible times, and the size of a track's canvas in CSS pixels. Times are in seconds. */
export interface TimeScale {
  readonly from: number
  readonly to: number
  readonly width: number
  readonly height: number
  /** Width of the margin at the left of the times. All views over time have the same margin. */
  readonly left: number
  /** Returns the place of a time, in CSS pixels from the left edge of the canvas. */
  readonly x: (t: number) => number
  /** Returns the time at a place: the inverse of `x`. */
  readonly timeAt: (x: number) => number
}

/**
 * A track: a picture over the visible times. The page makes the canvas in the screen's resolution, draws the track again
 * when data, visible times, size or theme change, draws the line of the cursor, and has the buttons that fold, move, pin
 * and save a track. A click goes to a time, and a drag zooms.
 */
export interface Track<Data = unknown> {
  /** Name of the track in the page and in the page's address. */
  readonly name: string
  /** Height of the canvas in CSS pixels: the least height, or the only height if the track is fixed. */
  readonly height: number
  /** True if the track stands above all other tracks, and cannot be folded, moved, pinned or resized. */
  readonly isFixed?: true
  /** True if the page shows only the track's name until the user unfolds the track. */
  readonly isFolded?: true
  /** Class of the track's elements in the style sheet, and id of its canvas for tests. */
  readonly style?: string
  /** Returns false if the track has nothing to show for the shown runs. Reads signals. Absent: the track is shown. */
  readonly isOffered?: () => boolean
  /**
   * Returns the data of the track; undefined until the data are known. Called as a hook of Preact while the track is
   * shown, so the function may call hooks, and reads signals.
   *
   * @param width width of the canvas, in CSS pixels
   */
  useData(this: void, width: number): Data | undefined
  /** Draws the track. The canvas is empty, and its coordinates are CSS pixels. Absent for a track of tracks `below`. */
  draw?(this: void, context: CanvasRenderingContext2D, scale: TimeScale, data: Data): void
  /** Legend in the caption of the track. */
  legend?(this: void, props: { readonly data: Data | undefined }): JSX.Element | null
  /** Returns the text about a point of the canvas, in CSS pixels; the caption shows the text of the pointer's place. */
  tip?(this: void, data: Data, scale: TimeScale, x: number, y: number): string
  /** Handles a click on a point of the canvas, and returns true; false lets the page go to the time of the click. */
  click?(this: void, data: Data, scale: TimeScale, x: number, y: number): boolean
  /** Describes the picture for screen readers. */
  describe?(this: void, data: Data | undefined): string
  /** How to save the track as SVG, PNG and CSV: a title for the buttons, and the files' name without the ending. */
  readonly saved?: { readonly title: string; readonly file: string; figureOf(this: void, data: Data): SavedFigure }
  /** A further track in the same frame: folded, moved and pinned together with this track. */
  readonly below?: Track
}

/** A field of the page's address: a part of the page's state that a link restores. */
export interface AddressField {
  readonly name: string
  /** Returns the value of the field from signals; undefined for the initial state, which the address leaves out. */
  readonly text: () => string | undefined
  /** Sets the state. @param text value in the address; null if the address lacks the field, for the initial state */
  readonly read: (text: string | null) => void
}

/** A panel: details on the active run. The page has the tabs, the keys and the commands that open panels. */
export interface Panel {
  /** Name of the panel in the page's address. */
  readonly name: string
  readonly title: string
  /** Key that opens the panel, and the description of the key in the list of keys. */
  readonly key?: { readonly key: string; readonly does: string }
  /** Command of the search field that opens the panel. */
  readonly command?: string
  /** True if the page shows the fabrics of both compared runs above the panel, instead of the active run's fabric. */
  readonly comparesRuns?: true
  /** Fields of the page's address with the state of the panel. */
  readonly fields?: ReadonlyArray<AddressField>
  /** Returns false if the panel has no tab for the shown runs. Reads signals. Absent: the panel has a tab. */
  readonly isOffered?: () => boolean
  /** Content of the panel, as a component of Preact. */
  readonly content: (props: { readonly run: RunClient }) => JSX.Element | null
}

/** The tracks of the page, in their initial order. */
export const tracks: Signal<ReadonlyArray<Track>> = signal([])
/** The panels of the page, in the order of their tabs. The first panel is open initially. */
export const panels: Signal<ReadonlyArray<Panel>> = signal([])
