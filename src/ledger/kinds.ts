/** One of several things that are told apart by their `kind`: each by its name, with what else is said of it. */
export type Kinds<Facts> = {
  [Kind in keyof Facts]: Readonly<{ kind: Kind } & Facts[Kind]>;
}[keyof Facts];
