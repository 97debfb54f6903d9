import type { Drawer } from '@cloister/viewer/pictures'
import { parseHTML } from 'linkedom'

/** A document without a browser, to draw in. */
export function emptyDocument(): Drawer {
  return parseHTML('<!doctype html><html><body></body></html>').document
}
