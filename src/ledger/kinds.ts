/** A union that is told apart by `kind`. Each key of `Facts` is a kind, and its value has the other fields of that kind. */
export type Kinds<Facts> = {
  [Kind in keyof Facts]: Readonly<{ kind: Kind } & Facts[Kind]>;
}[keyof Facts];
