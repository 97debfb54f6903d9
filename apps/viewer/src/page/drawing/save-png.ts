import { saveFile } from './save-file.ts'

/** Pixels of a PNG for each pixel of the SVG picture, in both directions. */
const SCALE = 2

/** Offers an SVG picture to the user as a PNG download. */
export async function savePng(svg: string, name: string): Promise<void> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth * SCALE
  canvas.height = image.naturalHeight * SCALE
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
  if (png !== null) saveFile(png, name, 'image/png')
}
