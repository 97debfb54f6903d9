/** Offers a picture for saving. */
export function savePicture(svg: string, name: string): void {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}.svg`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}
