/**
 * Follows the printed algorithm of Figure 1 of Pascual and Miguel-Alonso, with three slips corrected. First, the
 * counter of the sweep has a separate name, because `k` is the arity of the tree. Second, the loop increments the
 * level. Third, the sweep ends at the last node even inside of a group.
 *
 * @param subtree returns the number of nodes below one switch of stage `level`; stages count from 1
 * @param N number of installed nodes
 * @param x number of required nodes
 */
export function figure1(
  subtree: (level: number) => number,
  n: number,
  N: number,
  x: number,
  available: (node: number) => boolean,
  above = 0,
): Array<number> {
  let level = 1
  let levelSize = subtree(1)
  while (level < n && x > levelSize) {
    level++
    levelSize = subtree(level)
  }
  if (x > levelSize) return []
  levelSize = subtree(Math.min(n, level + above))

  let nodeList: Array<number> = []
  let i = 0
  let swept = 0
  while (i < N) {
    while (i < N && swept < levelSize && nodeList.length < x) {
      if (available(i)) {
        nodeList.push(i)
        if (nodeList.length === x) return nodeList
      }
      i++
      swept++
    }
    swept = 0
    nodeList = []
  }
  return nodeList
}
