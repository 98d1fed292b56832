module.exports = {
  forbidden: [
    { name: "x", severity: "error", from: { path: "^src/main" }, to: { path: "^src/config" } },
    { name: "circ", severity: "error", from: {}, to: { circular: true } },
  ],
  options: { parser: "swc", doNotFollow: { path: "node_modules" } },
};
