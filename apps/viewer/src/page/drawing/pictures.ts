// Script that draws the pictures to save: a third of the page, which the browser runs when a reader saves a picture.
import { pictureOf } from '@cloister/figures'

declare global {
  /** Draws a figure; undefined before the first saved picture. */
  var drawPicture: typeof pictureOf | undefined
}

globalThis.drawPicture = pictureOf
