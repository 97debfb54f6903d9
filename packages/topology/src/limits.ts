/** Most nodes of a machine, links of a level and names of a hostlist: what hostile input may make us allocate. */
export const MAX_IDS: number = 2 ** 22

/** Most levels of switches. */
export const MAX_LEVELS = 16

/** Most characters of all names of a hostlist together: a short list of brackets can make names without end. */
export const MAX_NAME_CHARACTERS: number = 2 ** 24
