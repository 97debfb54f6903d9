// An esbuild plugin. Effect lays out help with a text segmenter. Creating the segmenter takes longer than the rest of a
// command's start.
import { readFileSync } from 'node:fs'

const eager = /const graphemeSegmenter = (\/\*#__PURE__\*\/\s*new Intl\.Segmenter\([^)]*\));/

/** Creates the segmenter at the first help. The build fails if Effect's source creates no segmenter at its start. */
export const lazySegmenter = {
  name: 'lazy-segmenter',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]effect[\\/]dist[\\/]cli[\\/]CliOutput\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!eager.test(source)) throw new Error(`${path} makes no segmenter at its start: lazy-segmenter.mjs can go`)
      const contents = source
        .replace(eager, 'let segmenter; const graphemeSegmenter = () => (segmenter ??= $1);')
        .replaceAll('graphemeSegmenter.segment(', 'graphemeSegmenter().segment(')
      return { contents, loader: 'js' }
    })
  },
}
